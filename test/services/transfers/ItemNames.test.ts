import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { AttachmentCreate } from "../../../services/notes/attachments/Attachment.ts"
import { NoteCreate } from "../../../services/notes/Note.ts"
import { NotebookCreate } from "../../../services/notes/notebooks/Notebook.ts"
import { cleaned } from "../../../services/transfers/formats/Decoding.ts"
import { filenameOf, notebookOf, tagsOf, titleOf } from "../../../services/transfers/formats/ItemNames.ts"

const isNote = Schema.is(NoteCreate)
const isNotebook = Schema.is(NotebookCreate)
const isAttachment = Schema.is(AttachmentCreate)

/** Any text, including unusual ones: long, blank, a single sign, with lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom("a", "é", "e\u0301", "😀", " ", ".", "/", "\\", "#", ",", "\n", "\0", "\ud800"),
    maxLength: 400
  })
)

describe("names of imported items", () => {
  it("are valid titles, tags and texts of notes", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 80 }), (title, tags) =>
        [tagsOf(tags), tagsOf(tags, true)].every((taken) =>
          isNote({ notebook_id: "nb_1", title: titleOf(title), tags: taken.tags, body: cleaned(title) })
        )
      )
    )
  })

  it("are valid notebook names, at most five levels deep", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (folders) => {
        const names = notebookOf(folders)
        return names.length <= 5 && names.every((name) => isNotebook({ name }))
      })
    )
  })

  it("are valid attachment names", () => {
    fc.assert(fc.property(text, (name) => isAttachment({ note_id: "nt_1", filename: filenameOf(name) })))
  })
})
