/** A fault of a sync engine, made by a change of one place of its source. */
export interface Mutant {
  readonly fault: string
  readonly file: string
  /** A text that is there once. */
  readonly from: string
  readonly to: string
  /** The scenes that find it. */
  readonly scenes: ReadonlyArray<string>
}

const sync = "src/clients/sync"

export const mutants: ReadonlyArray<Mutant> = [
  {
    fault: "pulls one page only",
    file: "src/clients/client/Follow.ts",
    from: "      if (!page.has_more) return\n",
    to: "      return\n",
    scenes: ["pages"]
  },
  {
    fault: "does not store the cursor",
    file: `${sync}/SyncState.ts`,
    from: `    this.#unsaved.set("position", this.#at)\n    return [...changes`,
    to: "    return [...changes",
    scenes: ["cursor-kept"]
  },
  {
    fault: "stores the cursor without the records",
    file: `${sync}/SyncState.ts`,
    from: "    this.#unsaved.set(`record/${known.id}`, stored)\n",
    to: "",
    scenes: ["cursor-kept"]
  },
  {
    fault: "ignores the resync_cursor",
    file: "src/clients/client/Follow.ts",
    from: "cursor = error.problem.resync_cursor ?? undefined",
    to: "cursor = undefined",
    scenes: ["expired-cursor"]
  },
  {
    fault: "keeps what a pull of everything does not return",
    file: `${sync}/SyncState.ts`,
    from: "if (now === undefined) this.forget(known.id)",
    to: "if (now === undefined) continue",
    scenes: ["expired-for-good", "full-pull-cut"]
  },
  {
    fault: "takes an earlier state over a later one",
    file: `${sync}/SyncState.ts`,
    from: "!isFirst && stored.known.revision > change.revision",
    to: "!isFirst && stored.known.revision < 0",
    scenes: ["older-state"]
  },
  {
    fault: "ignores deletions",
    file: `${sync}/SyncState.ts`,
    from: "for (const change of changes) this.take(knownOf(change))",
    to: `for (const change of changes) if (change.op !== "delete") this.take(knownOf(change))`,
    scenes: ["changes", "expired-cursor"]
  },
  {
    fault: "repeats a push with new mutation_ids",
    file: `${sync}/PushRun.ts`,
    from: '{ isRecovered: _, seen: __, ...change }: Edit): Omit<Edit, "isRecovered" | "seen"> => {',
    to: "{ isRecovered: _, seen: __, ...one }: Edit) => { const change = { ...one, mutation_id: crypto.randomUUID() }",
    scenes: ["lost-push", "lost-then-killed"]
  },
  {
    fault: "does not store that an edit was sent",
    file: `${sync}/PushRun.ts`,
    from: "    // Sent edits must be stored as sent: after a crash it is sent again unchanged.\n    await replica.save()\n",
    to: "",
    scenes: ["lost-then-killed"]
  },
  {
    fault: "forgets the revision that the user saw",
    file: `${sync}/PushRun.ts`,
    from: "edits.map(entryOf)",
    to: "edits.map((edit) => ({ ...entryOf(edit), revision: replica.known(edit.id)?.revision ?? 0 }))",
    scenes: ["lost-then-edited"]
  },
  {
    fault: "drops own edits in a conflict",
    file: `${sync}/Rules.ts`,
    from: "return [...(isWhole ? [] : copyOf(edit, view)), ...(isEmpty(data) ? [] : [{ ...next, data, seen: theirs }])]",
    to: "return []",
    scenes: ["both-edited", "same-words", "both-renamed"]
  },
  {
    fault: "overwrites edits of others in a conflict",
    file: `${sync}/Rules.ts`,
    from: "const { data, isWhole } = merge(edit.data, seenBefore(edit, conflict), theirs, textsMerged)",
    to: "const [data, isWhole] = [edit.data, true]",
    scenes: ["both-edited", "always-faster"]
  },
  {
    fault: "makes no copy of a second title",
    file: `${sync}/Rules.ts`,
    from: "[...(isWhole ? [] : copyOf(edit, view)),",
    to: "[",
    scenes: ["both-renamed"]
  },
  {
    fault: "drops words of a note that another client has deleted",
    file: `${sync}/Rules.ts`,
    from: `if (edit.type === "note" && server?.op === "delete") return restoring(edit, server.revision)`,
    to: `if (server?.op === "delete") return []`,
    scenes: ["trashed-while-typed"]
  },
  {
    fault: "deletes what another client has edited",
    file: `${sync}/Rules.ts`,
    from: `["title", "name", "body"].every(isSeen) ? [next] : []`,
    to: "[isSeen].length === 1 ? [next] : []",
    scenes: ["deleted-while-edited"]
  },
  {
    fault: "drops refused edits",
    file: `${sync}/Rules.ts`,
    from: "if (!isUnresolved) return { again: [], later: [], refused: { edit, problem } }",
    to: "if (!isUnresolved) return { again: [], later: [] }",
    scenes: ["refused", "quota"]
  },
  {
    fault: "insists on the clock of the device",
    file: `${sync}/Rules.ts`,
    from: "if (isOfWrongClock(problem)) {",
    to: "if (isOfWrongClock(problem) && later.length > 9) {",
    scenes: ["wrong-clock"]
  },
  {
    fault: "does not split a push that is too large",
    file: `${sync}/Rules.ts`,
    from: "status === 413 || ",
    to: "status === 999 || ",
    scenes: ["too-large"]
  },
  {
    fault: "does not bring back what a restore has taken away",
    file: "src/clients/client/Follow.ts",
    from: "restored = error.problem.restored",
    to: "restored = undefined",
    scenes: ["restored-server"]
  },
  {
    fault: "replies to a write before it is stored",
    file: `${sync}/SyncEngine.ts`,
    from: "    this.#notify(this.#data.edits.change(change, this.#data))\n    await this.flush()\n",
    to: "    this.#notify(this.#data.edits.change(change, this.#data))\n",
    scenes: ["killed-after-write"]
  }
]
