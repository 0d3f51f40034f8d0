"""A sync client by the rules of docs/clients.md, with the standard library alone; and a client of `sheaf conformance`."""
from __future__ import annotations
import http.client, json, os, secrets, sys, urllib.error, urllib.request
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from sheaf_merge import Data, merge

if TYPE_CHECKING:
    from sheaf_types import ChangeEntry, SyncObject

# Members that the server sets: a state that differs in them alone is the same.
OF_SERVER = {"version", "word_count", "created_at", "updated_at", "note_count", "status", "author_id", "user_id"}

class Problem(Exception):
    def __init__(self, body: Data, status: int, retry_after: str | None = None):
        super().__init__(f"{status} {body.get('code')}: {body.get('detail')}")
        self.body, self.code, self.status = body, body.get("code"), status
        self.retry_after = int(retry_after) if (retry_after or "").isdigit() else 0

class SheafClient:
    def __init__(self, url: str, key: str, folder: str):
        self.url, self.key, self.path = url, key, Path(folder) / "state.json"
        self.state: Data = {"device": new_id("sy_"), "cursor": None, "records": {}, "edits": [], "whole": None}
        if self.path.exists():
            self.state = json.loads(self.path.read_text())

    def save(self) -> None:
        new = self.path.with_suffix(".new")
        with open(new, "w") as file:
            json.dump(self.state, file)
            file.flush()
            os.fsync(file.fileno())
        new.rename(self.path)

    def post(self, path: str, body: Data) -> SyncObject:
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        body = {"device": {"id": self.state["device"], "name": "Python"}, **body}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                reply = json.load(response)
        except urllib.error.HTTPError as error:
            try:
                problem = json.load(error)
            except ValueError:  # A page of a proxy.
                problem = {"code": "unexpected_response"}
            raise Problem(problem, error.code, error.headers["Retry-After"]) from None
        if not isinstance(reply, dict) or not isinstance(reply.get("changes"), list):
            raise Problem({"code": "unexpected_response"}, 200)
        return reply

    # What the user sees and does

    def edits_of(self, id: str, *states: str) -> list[Data]:
        return [edit for edit in self.state["edits"] if edit["id"] == id and edit["state"] in states]

    def shown(self, id: str) -> tuple[str, Data]:
        known, edits = self.state["records"].get(id), self.edits_of(id, "refused", "sent", "waiting")
        data = dict(known["data"] or {}) if known else dict(edits[0]["seen"]) if edits else {}
        for edit in edits:
            data.update(edit["data"])
        return (edits[-1]["op"] if edits else known["op"] if known else "delete"), data

    def write(self, op: str, type: str, id: str, data: Data | None = None) -> None:
        data, known, (before, seen) = data or {}, self.state["records"].get(id), self.shown(id)
        edit = {"type": type, "id": id, "op": op, "revision": known["revision"] if known else 0, "data": data, "seen": seen}
        if op == "delete" and before == "delete":
            return
        if op == "upsert" and before == "delete" and known and known["op"] == "delete" and type == "note":
            for each in self.restoring(edit, known["revision"]):
                self.add(each)
        elif op == "upsert" and before == "delete" and known:
            self.add({**edit, "data": {**seen, **data}, "seen": seen if type == "note" else {}})
        else:
            for refused in self.edits_of(id, "refused"):  # This edit corrects it.
                edit = joined(refused, edit)
                self.state["edits"].remove(refused)
            self.add(edit)
        self.save()

    def add(self, edit: Data) -> None:
        edit = {**edit, "mutation_id": new_id("mu_"), "state": "waiting"}
        waiting = self.edits_of(edit["id"], "waiting")
        if waiting and all(waiting[-1][member] == edit[member] for member in ("op", "revision")):
            waiting[-1].update(joined(waiting[-1], edit))
        else:
            self.state["edits"].append(edit)

    def notebook(self, wanted: str | None, type="notebook") -> str:
        """This notebook if it is there, else another one, else a new one."""
        ids = [wanted, *self.state["records"], *(edit["id"] for edit in self.state["edits"])]
        for id in ids:
            if id and id.startswith("nb_") and self.shown(id)[0] == "upsert":
                return id
        id = new_id("nb_")
        self.add({"type": type, "id": id, "op": "upsert", "revision": 0, "data": {"name": "Conflicts"}, "seen": {}})
        return id

    # Pull

    def take(self, change: ChangeEntry) -> None:
        whole, id = self.state["whole"], change["id"]
        records = self.state["records"] if whole is None else whole["records"]
        known = records.get(id)
        if known is None or known["revision"] <= change["revision"]:
            kept = {name: change.get(name) for name in ("type", "id", "op", "revision", "data", "changed_at")}
            records[id] = {**kept, "data": change["data"] or self.shown(id)[1]}

    def pull(self) -> None:
        has_more = True
        while has_more:
            cursor = self.state["cursor"]
            try:
                page = self.post("/sync/pull", {"cursor": cursor, "limit": 500})
            except Problem as problem:
                if cursor is None or problem.code not in ("cursor_expired", "invalid_cursor"):
                    raise
                self.state["cursor"] = problem.body.get("resync_cursor")
                if self.state["cursor"] is None:  # Everything comes again, into a table of its own.
                    self.state["whole"] = {"records": {}, "restored": problem.body.get("restored")}
                continue
            for change in page["changes"]:
                self.take(change)
            self.state["cursor"], has_more = page["cursor"], page["has_more"]
            if not has_more and self.state["whole"]:
                self.end_whole()
            self.save()

    def end_whole(self) -> None:
        whole, before = self.state["whole"], self.state["records"]
        self.state["records"], self.state["whole"] = whole["records"], None
        order = ["notebook", "tag", "note"]
        for known in sorted(before.values(), key=lambda each: (order + [each["type"]]).index(each["type"])):
            if whole["restored"]:
                self.recover(known, whole["restored"])

    def recover(self, known: Data, restored: Data) -> None:
        """Pushes again what a restore of the server has taken away, and own edits on top."""
        now, least = self.state["records"].get(known["id"]), restored["least_revision"]
        since = restored["backup_at"] and at(restored["backup_at"]) - timedelta(minutes=1)
        is_late = since is None or at(known["changed_at"]) >= since
        if now and now["revision"] < least and since:
            is_late = now["revision"] < known["revision"]
        own = self.edits_of(known["id"], "sent", "waiting")
        self.state["edits"] = [edit for edit in self.state["edits"] if edit not in own]
        theirs = now["data"] if now else {}
        data = {name: value for name, value in known["data"].items() if theirs.get(name) != value and name not in OF_SERVER}
        revision = now["revision"] if now else 0
        if data and is_late and known["op"] == "upsert" and revision != known["revision"]:
            is_early = now is None or revision < least
            revision = revision if is_early else known["revision"]
            edit = {"type": known["type"], "id": known["id"], "op": "upsert", "revision": revision, "data": data}
            edit["seen"] = theirs if is_early else {}
            for each in self.restoring(edit, now["revision"]) if now and now["op"] == "delete" else [edit]:
                self.add(each)
        for edit in own:
            self.state["edits"].append({**edit, "mutation_id": new_id("mu_"), "state": "waiting", "revision": revision})

    # Push

    def next_batch(self) -> list[Data]:
        def is_later(edit: Data) -> bool:
            return not (edit["type"] == "notebook" and edit["op"] == "upsert" and edit["revision"] == 0)
        batch, size = {}, 0
        for edit in sorted((edit for edit in self.state["edits"] if edit["state"] == "waiting"), key=is_later):
            size += len(json.dumps(edit["data"])) + 500
            if edit["id"] in batch or len(batch) == 500 or (batch and size > 15_000_000):
                break
            batch[edit["id"]] = edit
        return list(batch.values())

    def push(self) -> None:
        fruitless = 0
        while True:
            sent = [edit for edit in self.state["edits"] if edit["state"] == "sent"]
            for edit in [] if sent else self.next_batch():
                edit["state"] = "sent"
                sent.append(edit)
            if not sent:
                return
            self.save()  # After a crash, the same edits are sent again.
            before = len(self.state["edits"])
            self.send(sent)
            fruitless = fruitless + 1 if len(self.state["edits"]) >= before else 0
            if fruitless > 20:
                raise Problem({"code": "nothing_accepted"}, 0)

    def send(self, edits: list[Data]) -> None:
        members = ("mutation_id", "type", "id", "op", "revision", "data")
        changes = [{name: edit[name] for name in members} for edit in edits]
        try:
            reply = self.post("/sync/push", {"cursor": self.state["cursor"], "changes": changes})
        except Problem as problem:
            if problem.status == 413 or problem.code in ("validation_failed", "malformed_json"):
                half = len(edits) // 2
                if half:
                    self.send(edits[:half])
                    self.send(edits[half:])
                else:
                    edits[0].update(state="refused", error=problem.body)
            elif problem.code in ("insufficient_scope", "insufficient_role"):
                for edit in edits:
                    edit.update(state="refused", error=problem.body)
            else:
                raise
            return self.save()
        conflicts = {each["mutation_id"]: each for each in reply["conflicts"]}
        for change in reply["changes"] + [each["server"] for each in conflicts.values() if each["server"]]:
            self.take(change)
        for result in reply["results"]:
            edit = edits[result["index"]]
            later = self.edits_of(edit["id"], "waiting")
            if result["status"] == "applied":
                self.end(edit)
                for each in later:
                    if each["revision"] == edit["revision"]:
                        each["revision"] = result["revision"]
            elif result["status"] == "duplicate":
                known = self.state["records"].get(edit["id"])
                self.end(edit)
                for each in later:
                    each["revision"] = each["revision"] or 1
                if known is None or known["revision"] < result["revision"]:
                    data = {**(known["data"] if known else {}), **edit["data"]}
                    known = known or {"type": edit["type"], "id": edit["id"], "revision": 1, "changed_at": None}
                    self.state["records"][edit["id"]] = {**known, "op": edit["op"], "data": data}
            elif result["status"] == "conflict":
                self.after_conflict(self.whole(edit, later), conflicts[edit["mutation_id"]])
            elif not (result["error"]["code"] == "payload_too_large" and len(edits) > 1):
                self.after_refusal(edit, later, result["error"])
            else:
                edit["state"] = "waiting"
        self.save()

    def end(self, *edits: Data) -> None:
        self.state["edits"] = [edit for edit in self.state["edits"] if not any(edit is each for each in edits)]

    def whole(self, edit: Data, later: list[Data]) -> Data:
        """The edit with the later ones, which end. A deletion among them was meant for another state."""
        self.end(edit, *later)
        for each in later:
            if each["op"] == "upsert":
                edit = joined(edit, each)
        return edit

    def restoring(self, edit: Data, deletion: int) -> list[Data]:
        """A note is restored with empty data first. The edit then conflicts, and is merged with what is in the trash."""
        rest = [{**edit, "op": "upsert", "revision": deletion - 1}] if edit["data"] else []
        return [{**edit, "op": "upsert", "revision": deletion, "data": {}}, *rest]

    def after_conflict(self, edit: Data, conflict: Data) -> None:
        server, id = conflict["server"], edit["id"]
        theirs = server and server["data"]
        next = {**edit, "revision": conflict["revision"] or 0}
        if edit["op"] == "delete":
            if theirs and all(theirs.get(name) == edit["seen"].get(name) for name in ("title", "name", "body")):
                self.add(next)
        elif server and server["op"] == "delete" and edit["type"] == "note":
            for each in self.restoring(edit, server["revision"]):
                self.add(each)
        elif theirs is None:
            known = self.state["records"].get(id)
            self.add({**next, "data": {**edit["seen"], **(known["data"] if known else {}), **edit["data"]}})
        else:
            base = (conflict.get("base") or {}).get("data") or {}
            data, is_whole = merge(edit["data"], edit["seen"] or base, theirs)
            if not is_whole:
                self.copy(edit)
            if data:
                self.add({**next, "data": data, "seen": theirs})

    def copy(self, edit: Data) -> None:
        """A new note with the words that have no place in their record."""
        all = {**edit["seen"], **edit["data"]}
        data = {"title": all.get("title") or all.get("name") or "Comment", "body": all.get("body") or ""}
        data["notebook_id"] = self.notebook(all.get("notebook_id"))
        self.add({"type": "note", "id": new_id("nt_"), "op": "upsert", "revision": 0, "data": data, "seen": {}})

    def after_refusal(self, edit: Data, later: list[Data], error: Data) -> None:
        code, container = error["code"], edit["data"].get("notebook_id")
        is_lost = code == "unresolved_reference" and edit["type"] == "note"
        if (code == "not_found" and edit["op"] == "delete") or (code == "already_exists" and edit["type"] == "tag"):
            self.end(edit)  # Notes refer to tags by name: the other tag has it.
        elif any(each["op"] == "delete" for each in later) and not is_lost:
            self.end(edit)
        elif later or (edit["op"] == "upsert" and not edit["data"]):
            # A note that is not in the trash any more is restored with all its data.
            whole, is_empty = self.whole(edit, later), edit["op"] == "upsert" and not edit["data"]
            self.add({**whole, "data": {**(whole["seen"] if is_empty else {}), **whole["data"]}})
        elif any(each["field"] == "data.created_at" for each in error.get("errors") or []):
            self.end(edit)
            self.add({**edit, "data": {name: edit["data"][name] for name in edit["data"] if name != "created_at"}})
        elif is_lost and container:
            self.end(edit)
            if not self.edits_of(container, "sent", "waiting"):
                self.state["records"].pop(container, None)
                container = self.notebook(None)
            self.add({**edit, "data": {**edit["data"], "notebook_id": container}})
        elif code == "unresolved_reference" and edit["type"] == "notebook":
            self.end(edit)
            self.add({**edit, "data": {**edit["data"], "parent_id": None}})
        else:
            edit.update(state="refused", error=error)

    def sync(self) -> None:
        if self.state["whole"]:
            self.pull()
        try:
            self.push()
        except Problem as problem:
            if problem.code not in ("cursor_expired", "invalid_cursor"):
                raise
        self.pull()
        self.push()

def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(12)

def at(time: str | None) -> datetime:
    return datetime.fromisoformat((time or "1970-01-01T00:00:00Z").replace("Z", "+00:00"))

def joined(first: Data, edit: Data) -> Data:
    """Two edits as one. Each member keeps what was seen before its first edit."""
    seen = {**edit["seen"], **{name: first["seen"].get(name) for name in first["data"]}}
    return {**first, "op": edit["op"], "data": {**first["data"], **edit["data"]}, "seen": seen}

def run(client: SheafClient | None, command: str, given: Data) -> Data:
    if command == "write":
        client.write(given["op"], given["type"], given["id"], given.get("data"))
    elif command == "sync":
        try:
            client.sync()
        except (Problem, OSError, ValueError, http.client.HTTPException) as error:
            return {"error": str(error), "retry_after": getattr(error, "retry_after", 0)}
    elif command == "read":
        ids = {*client.state["records"], *(edit["id"] for edit in client.state["edits"])}
        types = {edit["id"]: edit["type"] for edit in [*client.state["edits"], *client.state["records"].values()]}
        shown = {id: client.shown(id) for id in ids}
        records = [{"type": types[id], "id": id, "data": data} for id, (op, data) in shown.items() if op == "upsert"]
        refused = [edit for edit in client.state["edits"] if edit["state"] == "refused"]
        return {"records": records, "kept": [{**edit, "code": edit["error"]["code"]} for edit in refused]}
    return {}

if __name__ == "__main__":  # A client of `sheaf conformance`.
    client = None
    for line in sys.stdin:
        given = json.loads(line)
        if given["command"] == "open":
            client = SheafClient(given["url"], given["key"], given["folder"])
        print(json.dumps(run(client, given["command"], given)), flush=True)
