import { describe, expect, it } from "vitest"
import { isThere, notesOf } from "../../../scripts/bench/search/Corpora.ts"
import { rounds } from "../../support/Slow.ts"
import { ids, indexOf } from "../../support/IndexedNotes.ts"

const missing = isThere ? "" : " (skipped: no ../shared/data/search here, and no SEARCH_DATA)"

/** A query as people type it, and the title of the note that they mean, or a pattern of it; a tag where titles repeat. */
type Typed = readonly [query: string, title: string | RegExp, tag?: string]

const english: ReadonlyArray<Typed> = [
  // Sentences.
  ["how do I create a new git branch", /^git branch$|^git checkout$|^git switch$|^git create-branch$/],
  ["what is the lifetime of an object in modern c++", "Object lifetime and resource management (RAII)"],
  ["convert a string to a long integer", /^atol|^strtol|^_strtoui64|^strtoul|^_wtoi64|^stoi|^atoi|^_atoi64/],
  ["determine whether a file is read only", /^_access/],
  ["how can I include resources at compile time", "How to: Include Resources at Compile Time (C++)"],
  ["check the integrity of a filesystem", "fsck"],
  ["specify an out parameter", "How to: Specify an out parameter"],
  ["compute the quotient and the remainder of two integers", "div, ldiv, lldiv"],
  ["create and manage virtual machines running podman", "podman machine"],
  ["print files to the default printer", /^lpr$|^lp$/],
  ["mount host directories as virtual DOS drives", "MOUNT"],
  ["which process starts docker containers persistently", "dockerd"],
  ["reset the decisions of the privacy database", "tccutil"],
  ["importing and exporting of an inline function", "Importing and exporting inline functions"],
  ["move constructors and move assignment operators", /Move Constructors/i],
  // Inflection.
  ["implementing tracking in code", "How to: Implement Tracking in Your Code"],
  ["using stock properties page", "MFC ActiveX Controls: Using Stock Property Pages"],
  ["file permissions constant", "File Permission Constants"],
  ["structures and unions members", "Structure and Union Members"],
  ["managing docker container", /docker|podman|container/i],
  ["required headers files", "Required and Optional Header Files"],
  ["creating ole db consumers", /OLE DB Consumer/],
  // Code.
  ["C2065", "Compiler Error C2065"],
  ["c 2181", "Compiler Error C2181"],
  ["error c3115 attribute not allowed", "Compiler Error C3115"],
  ["com::ptr", /^com::ptr|_com_ptr_t/],
  ["std::is_convertible", "is_convertible Class"],
  ["swprintf_s", /swprintf_s/],
  ["_com_ptr_t operator =", "_com_ptr_t::operator ="],
  ["IObjectWithSite", /IObjectWithSite/],
  ["gopher file class", "CGopherFile Class"],
  ["cache freelist", /cache_freelist/],
  ["fgetws", "fgets, fgetws"],
  ["ANALYSIS CALLBACKS structure", "ANALYSIS_CALLBACKS structure"],
  ["U1033 nmake", "NMAKE Fatal Error U1033"],
  // Options.
  ["/FU", /^\/FU/],
  ["/Og global optimisation", /^\/Og/],
  ["git commit --amend", /^git commit|^git amend|^git-commit|amend/],
  ["tar -xzf", /tar|gzip|bsdtar/],
  ["git stripspace", "git stripspace"],
  ["poetry init", "poetry init"],
  // Signs, dates and addresses.
  ["ubuntu.com/server/docs", /ubuntu|kvm|virt|lxc|netplan|pro/],
  ["libreoffice.org extensions", "unopkg"],
  ["pyproject.toml", /poetry|hatch|pdm|uv|rye|pip|black|towncrier|tox|hatchling|cookiecutter|flit/],
  // Typing errors.
  ["podmna machine", "podman machine"],
  ["optimiztaion of registers", /Optimi|register/i],
  ["Compiler Eror C2407", "Compiler Error C2407"],
  ["inotifywiat", /inotifywait|inotifywatch|fatrace|inotify/],
  // While typing.
  ["object lifetime and res", "Object lifetime and resource management (RAII)"],
  ["podman mach", "podman machine"]
]

const multilingual: ReadonlyArray<Typed> = [
  ["ファイルの検索", /find|grep|locate|fd|ag|rg|where|es|mdfind|fzf/, "ja"],
  ["DNS 情報を調べる", "dig", "ja"],
  [
    "パッケージマネージャ",
    /brew|npm|pacman|apt|yum|dnf|snap|choco|cargo|pnpm|yarn|nix|zypper|port|flatpak|scoop|winget|bun|gem|pip|apk|xbps|pkg|opam|conda/,
    "ja"
  ],
  ["基准测试工具", "ab", "zh"],
  ["跨平台 代码编辑器", "code", "zh"],
  ["java 编译器", "javac", "zh"],
  ["Suchtool", "ugrep", "de"],
  ["warum ist ein Paket installiert", "npm-why", "de"],
  ["angeschlossene Drucker auflisten lpinfo", "lpinfo", "de"],
  ["Kundentreiber Druckertreiber", "lpinfo", "de"],
  ["utilisation du disque", "du", "fr"],
  ["tests de charges HTTP", "vegeta", "fr"],
  ["fichier ignorés git", "git check-ignore", "fr"]
]

describe.skipIf(missing !== "")(`queries as people type them${missing}`, () => {
  it("find what is meant among the first three hits, all but three of them", () => {
    const missed: Array<string> = []
    for (const [file, queries] of (
      [
        ["notes-multilang", multilingual],
        // To index them takes most of the time.
        ["notes14k", english]
      ] as const
    ).slice(0, rounds(1, 2))) {
      const notes = notesOf(file).map((note, order) => ({ ...note, id: String(order) }))
      const index = indexOf(...notes)
      for (const [query, title, tag] of queries) {
        const found = ids(index, query)
          .slice(0, 3)
          .map((id) => notes[Number(id)]!)
        const isMeant = found.some(
          (note) =>
            (typeof title === "string" ? note.title === title : title.test(note.title)) &&
            (tag === undefined || note.tags.includes(tag))
        )
        if (!isMeant) missed.push(`${query}: ${found.map((note) => note.title).join(" | ")}`)
      }
    }
    expect(english.length + multilingual.length).toBeGreaterThanOrEqual(60)
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(rounds(1, 3))
  })
})
