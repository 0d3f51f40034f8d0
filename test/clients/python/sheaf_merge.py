"""Merges of the changes of two clients (docs/clients.md, "How a conflict ends")."""
import difflib, re
from typing import Any

Data = dict[str, Any]

def merge_texts(base: str, theirs: str, mine: str, patterns=(r"[^\n]*\n|[^\n]+", r"\S+\s*|\s+")) -> str:
    """Merges by lines, and where both have changed the same lines, by words. Replaced by both: theirs, then mine."""
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    if not patterns:
        return theirs + ("" if not theirs or not mine or theirs[-1].isspace() or mine[0].isspace() else "\n") + mine
    old, their, my = (re.findall(patterns[0], text) for text in (base, theirs, mine))
    def kept(new: list[str]) -> dict[int, int]:
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return {a + at: b + at for a, b, size in blocks for at in range(size)}
    one, other = kept(their), kept(my)
    merged, o, t, m = "", 0, 0, 0
    for at in [at for at in range(len(old)) if at in one and at in other] + [len(old)]:
        ends = one.get(at, len(their)), other.get(at, len(my))
        parts = old[o:at], their[t:ends[0]], my[m:ends[1]]
        merged += merge_texts(*("".join(part) for part in parts), patterns[1:]) + "".join(old[at:at + 1])
        o, t, m = at + 1, ends[0] + 1, ends[1] + 1
    return merged

def common(one: str, other: str) -> str:
    lines = [text.splitlines(keepends=True) for text in (one, other)]
    blocks = difflib.SequenceMatcher(None, *lines, autojunk=False).get_matching_blocks()
    return "".join("".join(lines[0][a:a + size]) for a, _, size in blocks)

def merge(mine: Data, seen: Data, theirs: Data) -> tuple[Data, bool]:
    """What to write on top of theirs, and whether a title or a name of mine has no place there."""
    data, is_whole = {}, True
    for member, value in mine.items():
        base, their = seen.get(member), theirs.get(member)
        if value == base or value == their:
            continue
        if base == their:
            data[member] = value
        elif member == "body":
            old = common(their or "", value or "") if base is None else base
            data[member] = merge_texts(old, their or "", value or "")
        elif member == "tags":
            base, their = base or [], their or []
            data[member] = [tag for tag in their if tag in value or tag not in base]
            data[member] += [tag for tag in value if tag not in base and tag not in their]
        elif member in ("title", "name"):
            is_whole = False
    return data, is_whole
