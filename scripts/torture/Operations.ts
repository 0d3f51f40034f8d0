/** The operations of a history: what each changes, and the ways by which it can be sent. */
import type { Change, Data, Hand, Operation, Type, Way } from "./Change.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** A text with a new word between two others. */
const inserted = (body: unknown, word: string, draw: number): string => {
  const parts = text(body).split(/(?<=\s)/)
  const at = Math.floor(draw * (parts.length + 1))
  const before = parts.slice(0, at).join("")
  const gap = /\S$/.test(before) ? " " : ""
  return `${before}${gap}${word}${draw < 0.3 ? "\n" : " "}${parts.slice(at).join("")}`
}

/** Values by the draw of a step. */
const tagName = (draw: number): string => `label-${Math.floor(draw * 6)}`
const colour = (draw: number): string =>
  `#${Math.floor(draw * 0xffffff)
    .toString(16)
    .padStart(6, "0")}`
const later = (draw: number): string => new Date(Date.UTC(2040, 0, 1 + Math.floor(draw * 300))).toISOString()
const bytesOf = (hand: Hand): string => hand.word.repeat(1 + Math.floor(hand.step.draw * 400))

type Row = Omit<Operation, "kind" | "weight" | "changes">

const create = (
  type: Type,
  weight: number,
  row: Row,
  data: (hand: Hand) => Data,
  more: Partial<Operation> = {}
): Operation => ({
  kind: `${type}.create`,
  weight,
  makes: type,
  changes: (hand) => {
    const made = data(hand)
    const isText = type !== "attachment" && JSON.stringify(made).includes(hand.word)
    return [{ type, op: "create", data: made, ...(isText ? { word: hand.word } : {}) }]
  },
  ...row,
  ...more
})

const update = (
  kind: string,
  weight: number,
  row: Row,
  change: (hand: Hand, seen: Data) => Partial<Change> & { readonly data: Data }
): Operation => ({
  kind,
  weight,
  changes: (hand) => {
    const id = hand.id(0)
    return [{ type: row.needs[0]!, id, op: "update", ...change(hand, hand.seen(id)) }]
  },
  ...row
})

const end = (type: Type, op: "delete" | "purge", weight: number, ways: ReadonlyArray<Way>): Operation => ({
  kind: `${type}.${op}`,
  weight,
  needs: [type],
  isEnd: true,
  ways,
  changes: (hand) => (hand.step.refs[0]! < 0 ? [] : [{ type, id: hand.id(0), op, data: {} }])
})

const restore = (type: Type, weight: number, ways: ReadonlyArray<Way>): Operation => ({
  kind: `${type}.restore`,
  weight,
  needs: [type],
  ways,
  changes: (hand) => [
    { type, id: hand.id(0), op: "restore", data: {}, touches: ["notebook_id", "archived", "parent_id"] }
  ]
})

const read = (kind: string, weight: number, ways: ReadonlyArray<Way> = ["api"], needs: ReadonlyArray<Type> = []) => ({
  kind,
  weight,
  ways,
  needs
})

const most: ReadonlyArray<Way> = ["api", "push", "replica"]
const all: ReadonlyArray<Way> = ["api", "push", "mcp", "replica"]

/** The words of a step that makes several records. */
const wordsOf = (word: string): ReadonlyArray<string> =>
  ["a", "b", "c", "d"].map((letter) => word.replace(/y$/, `${letter}y`))

export const operations: ReadonlyArray<Operation> = [
  create("note", 12, { needs: ["notebook"], ways: [...all, "import"] }, (hand) => ({
    notebook_id: hand.id(0),
    title: `Note ${hand.step.at}`,
    body: `${hand.word}\n`,
    tags: [tagName(hand.step.draw)]
  })),
  create("note", 2, { needs: ["notebook"], ways: ["push"] }, () => ({}), {
    kind: "note.bulk",
    changes: (hand) =>
      wordsOf(hand.word).map((word) => ({
        type: "note",
        op: "create",
        data: { notebook_id: hand.id(0), title: `Bulk ${hand.step.at}`, body: word },
        word
      }))
  }),
  update("note.write", 30, { needs: ["note"], ways: all }, (hand, seen) => ({
    data: { body: inserted(seen["body"], hand.word, hand.step.draw) },
    word: hand.word
  })),
  update("note.stale", 2, { needs: ["note"], ways: ["api", "push"] }, (hand, seen) => ({
    data: { body: inserted(seen["body"], hand.word, hand.step.draw) },
    word: hand.word,
    isStale: true
  })),
  update("note.title", 5, { needs: ["note"], ways: all }, (hand) => ({
    data: { title: `Title ${hand.word}` },
    word: hand.word
  })),
  update("note.label", 2, { needs: ["note"], ways: most }, (hand) => ({ data: { tags: [tagName(hand.step.draw)] } })),
  update("note.tag", 4, { needs: ["note", "tag"], ways: most }, (hand) => ({
    data: { tags: [tagName(hand.step.draw), hand.seen(hand.id(1))["name"]] }
  })),
  update("note.pin", 3, { needs: ["note"], ways: most }, (hand) => ({ data: { pinned: hand.step.draw < 0.5 } })),
  update("note.archive", 3, { needs: ["note"], ways: ["api", "replica"] }, () => ({
    data: { archived: true },
    action: "archive"
  })),
  update("note.move", 3, { needs: ["note", "notebook"], ways: all }, (hand) => ({ data: { notebook_id: hand.id(1) } })),
  update("note.version", 3, { needs: ["note"], ways: ["api"] }, (hand, seen) => ({
    data: {},
    action: `versions/${1 + Math.floor(hand.step.draw * Number(seen["version"]))}/restore`,
    touches: ["title", "body", "tags"]
  })),
  create("note", 2, { needs: ["note"], ways: ["api"] }, () => ({}), {
    kind: "note.duplicate",
    changes: (hand) => [{ type: "note", id: hand.id(0), op: "create", data: {}, action: "duplicate" }]
  }),
  end("note", "delete", 4, all),
  end("note", "purge", 1, ["api"]),
  restore("note", 4, ["api", "mcp", "replica"]),
  create("notebook", 2, { needs: [], ways: all }, (hand) => ({ name: `Book ${hand.step.at}` })),
  update("notebook.rename", 2, { needs: ["notebook"], ways: most }, (hand) => ({
    data: { name: `Book ${hand.step.at}` }
  })),
  update("notebook.move", 1, { needs: ["notebook", "notebook"], ways: ["api"] }, (hand) => ({
    data: { parent_id: hand.step.draw < 0.3 ? null : hand.id(1) },
    action: "move"
  })),
  end("notebook", "delete", 0.4, ["api", "replica"]),
  restore("notebook", 0.5, ["api"]),
  create("tag", 1, { needs: [], ways: most }, (hand) => ({
    name: `tag-${hand.step.at}`,
    color: colour(hand.step.draw)
  })),
  update("tag.colour", 1, { needs: ["tag"], ways: most }, (hand) => ({ data: { color: colour(hand.step.draw) } })),
  update("tag.rename", 0.7, { needs: ["tag"], ways: most }, (hand) => ({ data: { name: `tag-${hand.step.at}` } })),
  {
    kind: "tag.merge",
    weight: 0.5,
    needs: ["tag", "tag"],
    isEnd: true,
    ways: ["api"],
    changes: (hand) =>
      hand.id(0) === hand.id(1)
        ? []
        : [
            {
              type: "tag",
              id: hand.id(0),
              op: "delete",
              data: {},
              action: "merge",
              sent: { source_ids: [hand.id(0)], target_id: hand.id(1) }
            }
          ]
  },
  end("tag", "delete", 0.4, most),
  create("template", 1, { needs: [], ways: most }, (hand) => ({
    name: `Template ${hand.step.at}`,
    body: `${hand.word} `
  })),
  update("template.write", 3, { needs: ["template"], ways: most }, (hand, seen) => ({
    data: { body: inserted(seen["body"], hand.word, hand.step.draw) },
    word: hand.word
  })),
  create("note", 1, { needs: ["template", "notebook"], ways: ["api"] }, () => ({}), {
    kind: "template.apply",
    changes: (hand) => [
      {
        type: "note",
        id: hand.id(0),
        op: "create",
        data: { notebook_id: hand.id(1) },
        action: "apply",
        sent: { notebook_id: hand.id(1), title: `Applied ${hand.step.at}` }
      }
    ]
  }),
  end("template", "delete", 0.5, most),
  create("comment", 2, { needs: ["note"], ways: most }, (hand) => ({ note_id: hand.id(0), body: `${hand.word} ` })),
  create("comment", 1, { needs: ["comment"], ways: most }, () => ({}), {
    kind: "comment.reply",
    changes: (hand) => {
      const seen = hand.seen(hand.id(0))
      const parent_id = seen["parent_id"] ?? hand.id(0)
      return [
        {
          type: "comment",
          op: "create",
          data: { note_id: seen["note_id"], parent_id, body: hand.word },
          word: hand.word
        }
      ]
    }
  }),
  update("comment.write", 2, { needs: ["comment"], ways: most }, (hand, seen) => ({
    data: { body: inserted(seen["body"], hand.word, hand.step.draw) },
    word: hand.word
  })),
  update("comment.resolve", 1, { needs: ["comment"], ways: most }, (hand) => ({
    data: { resolved: hand.step.draw < 0.6 }
  })),
  end("comment", "delete", 0.6, most),
  create("reminder", 1, { needs: ["note"], ways: all }, (hand) => ({
    note_id: hand.id(0),
    remind_at: later(hand.step.draw)
  })),
  update("reminder.move", 1, { needs: ["reminder"], ways: most }, (hand) => ({
    data: { remind_at: later(hand.step.draw) }
  })),
  end("reminder", "delete", 0.4, most),
  create("attachment", 2, { needs: ["note"], ways: ["api", "replica"] }, (hand) => ({
    note_id: hand.id(0),
    filename: `${hand.step.at}.txt`,
    bytes: bytesOf(hand)
  })),
  update("attachment.rename", 1, { needs: ["attachment"], ways: most }, (hand) => ({
    data: { filename: `${hand.step.at}.txt` }
  })),
  end("attachment", "delete", 0.4, most),
  create("share", 1, { needs: ["note"], ways: ["api"] }, (hand) => ({ note_id: hand.id(0) })),
  end("share", "delete", 0.4, ["api"]),
  read("sync", 12, ["replica"]),
  read("pull", 5),
  read("events", 4),
  read("list", 3),
  read("bytes", 1, ["api"], ["attachment"]),
  read("reopen", 1, ["replica"])
]
