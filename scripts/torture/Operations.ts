/** The operations of a history: what each changes, and the ways by which it can be sent. */
import type { Change, Data, Hand, Operation, Type, Way } from "./Change.ts"

/** A text with the word of the step between two others. */
const inserted = (body: unknown, { step: { draw }, word }: Hand): string => {
  const parts = (typeof body === "string" ? body : "").split(/(?<=\s)/)
  const at = Math.floor(draw * (parts.length + 1))
  const before = parts.slice(0, at).join("")
  return `${before}${/\S$/.test(before) ? " " : ""}${word}${draw < 0.3 ? "\n" : " "}${parts.slice(at).join("")}`
}

/** Values by the draw of a step. */
const tagName = ({ step: { draw } }: Hand): string => `label-${Math.floor(draw * 6)}`
const colour = ({ step: { draw } }: Hand): string =>
  `#${(0x1000000 + Math.floor(draw * 0xffffff)).toString(16).slice(1)}`
const later = ({ step: { draw } }: Hand): string =>
  new Date(Date.UTC(2040, 0, 1 + Math.floor(draw * 300))).toISOString()

const most: ReadonlyArray<Way> = ["api", "push", "replica"]
const all: ReadonlyArray<Way> = ["api", "push", "mcp", "replica"]
const api: ReadonlyArray<Way> = ["api"]

/** What a row says of a change; the rest follows from its kind. */
type Given = Partial<Change>

const changeOf = ({ word }: Hand, type: Type, op: Change["op"], given: Given): Change => {
  const hasWord = type !== "attachment" && JSON.stringify(given.data ?? {}).includes(word)
  return { type, op, data: {}, ...(hasWord ? { word } : {}), ...given }
}
const typesOf = (needs: string) => needs.split(" ").filter(Boolean) as ReadonlyArray<Type>
const typeOf = (kind: string) => kind.split(".")[0] as Type

/** Makes one record, or several. */
const make = (
  kind: string,
  weight: number,
  needs: string,
  ways: ReadonlyArray<Way>,
  given: (hand: Hand) => Given | ReadonlyArray<Given>,
  makes = typeOf(kind)
): Operation => ({
  kind,
  weight,
  needs: typesOf(needs),
  makes,
  ways,
  changes: (hand) => [given(hand)].flat().map((each) => changeOf(hand, makes, "create", each))
})

const update = (
  kind: string,
  weight: number,
  needs: string,
  ways: ReadonlyArray<Way>,
  given: (hand: Hand, seen: Data) => Given
): Operation => ({
  kind,
  weight,
  needs: typesOf(needs),
  ways,
  changes: (hand) => [{ id: hand.id(0), ...changeOf(hand, typeOf(kind), "update", given(hand, hand.seen(hand.id(0)))) }]
})

const restore = (kind: string, weight: number, ways: ReadonlyArray<Way>): Operation => ({
  kind,
  weight,
  needs: [typeOf(kind)],
  ways,
  changes: (hand) => {
    const touches = ["notebook_id", "archived", "parent_id", "tags"]
    return [{ type: typeOf(kind), id: hand.id(0), op: "restore", data: {}, touches }]
  }
})

const end = (
  kind: string,
  weight: number,
  ways: ReadonlyArray<Way>,
  needs = typesOf(typeOf(kind)),
  given: (hand: Hand) => Given = () => ({})
): Operation => ({
  kind,
  weight,
  needs,
  isEnd: true,
  ways,
  changes: (hand) => {
    if (hand.step.refs[0]! < 0 || (needs.length > 1 && hand.id(0) === hand.id(1))) return []
    const op = kind.endsWith("purge") ? "purge" : "delete"
    // The version of a note in the trash follows its tags.
    return [{ type: typeOf(kind), id: hand.id(0), op, data: {}, touches: ["tags"], ...given(hand) }]
  }
})

const read = (kind: string, weight: number, ways = api, needs = ""): Operation => ({
  kind,
  weight,
  ways,
  needs: typesOf(needs)
})

const write = (hand: Hand, seen: Data): Given => ({ data: { body: inserted(seen["body"], hand) } })

export const operations: ReadonlyArray<Operation> = [
  make("note.create", 12, "notebook", [...all, "import"], (hand) => ({
    data: { notebook_id: hand.id(0), title: `Note ${hand.step.at}`, body: `${hand.word}\n`, tags: [tagName(hand)] }
  })),
  make("note.bulk", 2, "notebook", ["push"], (hand) =>
    ["a", "b", "c", "d"].map((letter) => {
      const word = hand.word.replace(/y$/, `${letter}y`)
      return { data: { notebook_id: hand.id(0), title: `Bulk ${hand.step.at}`, body: word }, word }
    })
  ),
  update("note.write", 30, "note", all, write),
  update("note.stale", 2, "note", ["api", "push"], (hand, seen) => ({ ...write(hand, seen), isStale: true })),
  update("note.append", 8, "note", api, ({ word }) => ({
    touches: ["body"],
    action: "edits",
    sent: { append: word },
    word
  })),
  update("note.title", 5, "note", all, (hand) => ({ data: { title: `Title ${hand.word}` } })),
  update("note.label", 2, "note", most, (hand) => ({ data: { tags: [tagName(hand)] } })),
  update("note.tag", 4, "note tag", most, (hand) => ({
    data: { tags: [tagName(hand), hand.seen(hand.id(1))["name"]] }
  })),
  update("note.pin", 3, "note", most, (hand) => ({ data: { pinned: hand.step.draw < 0.5 } })),
  update("note.archive", 3, "note", ["api", "replica"], () => ({ data: { archived: true }, action: "archive" })),
  update("note.move", 3, "note notebook", all, (hand) => ({ data: { notebook_id: hand.id(1) } })),
  update("note.version", 3, "note", api, ({ step: { draw } }, seen) => ({
    action: `versions/${1 + Math.floor(draw * Number(seen["version"]))}/restore`,
    touches: ["title", "body", "tags"]
  })),
  make("note.duplicate", 2, "note", api, (hand) => ({ id: hand.id(0), action: "duplicate" })),
  end("note.delete", 4, all),
  end("note.purge", 1, api),
  restore("note.restore", 4, ["api", "mcp", "replica"]),
  make("notebook.create", 2, "", all, (hand) => ({ data: { name: `Book ${hand.step.at}` } })),
  update("notebook.rename", 2, "notebook", most, (hand) => ({ data: { name: `Book ${hand.step.at}` } })),
  update("notebook.move", 1, "notebook notebook", api, (hand) => ({
    data: { parent_id: hand.step.draw < 0.3 ? null : hand.id(1) },
    action: "move"
  })),
  end("notebook.delete", 0.4, ["api", "replica"]),
  restore("notebook.restore", 0.5, api),
  make("tag.create", 1, "", most, (hand) => ({ data: { name: `tag-${hand.step.at}`, color: colour(hand) } })),
  update("tag.colour", 1, "tag", most, (hand) => ({ data: { color: colour(hand) } })),
  update("tag.rename", 0.7, "tag", most, (hand) => ({ data: { name: `tag-${hand.step.at}` } })),
  end("tag.merge", 0.5, api, ["tag", "tag"], (hand) => ({
    action: "merge",
    sent: { source_ids: [hand.id(0)], target_id: hand.id(1) }
  })),
  end("tag.delete", 0.4, most),
  make("template.create", 1, "", most, ({ step, word }) => ({
    data: { name: `Template ${step.at}`, body: `${word} ` }
  })),
  update("template.write", 3, "template", most, write),
  make(
    "template.apply",
    1,
    "template notebook",
    api,
    (hand) => ({
      id: hand.id(0),
      data: { notebook_id: hand.id(1) },
      action: "apply",
      sent: { notebook_id: hand.id(1), title: `Applied ${hand.step.at}` }
    }),
    "note"
  ),
  end("template.delete", 0.5, most),
  make("comment.create", 2, "note", most, (hand) => ({ data: { note_id: hand.id(0), body: `${hand.word} ` } })),
  make("comment.reply", 1, "comment", most, (hand) => {
    const { note_id, parent_id } = hand.seen(hand.id(0))
    return { data: { note_id, parent_id: parent_id ?? hand.id(0), body: hand.word } }
  }),
  update("comment.write", 2, "comment", most, write),
  update("comment.resolve", 1, "comment", most, (hand) => ({ data: { resolved: hand.step.draw < 0.6 } })),
  end("comment.delete", 0.6, most),
  make("reminder.create", 1, "note", all, (hand) => ({ data: { note_id: hand.id(0), remind_at: later(hand) } })),
  update("reminder.move", 1, "reminder", most, (hand) => ({ data: { remind_at: later(hand) } })),
  end("reminder.delete", 0.4, most),
  make("attachment.create", 2, "note", ["api", "replica"], ({ id, step, word }) => ({
    data: { note_id: id(0), filename: `${step.at}.txt`, bytes: word.repeat(1 + Math.floor(step.draw * 400)) }
  })),
  update("attachment.rename", 1, "attachment", most, (hand) => ({ data: { filename: `${hand.step.at}.txt` } })),
  end("attachment.delete", 0.4, most),
  make("share.create", 1, "note", api, (hand) => ({ data: { note_id: hand.id(0) } })),
  end("share.delete", 0.4, api),
  read("sync", 12, ["replica"]),
  read("pull", 5),
  read("events", 4),
  read("list", 3),
  read("bytes", 1, api, "attachment"),
  read("reopen", 1, ["replica"]),
  read("kill", 3, ["replica"])
]
