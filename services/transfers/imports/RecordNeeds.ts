import * as NotePart from "../../notes/NotePart.ts"
import { notes } from "../../notes/NoteTable.ts"
import { records } from "../../writer/LogEntry.ts"
import type { Need } from "../../writer/Mailboxes.ts"
import type { ImportNames } from "./ImportNames.ts"
import type { RecordItem } from "./JsonRecords.ts"

/** Rows that drafts of these items read, with one query per table. */
export const needsOf = (items: ReadonlyArray<RecordItem>, names: ImportNames): ReadonlyArray<Need> =>
  items.flatMap((item): ReadonlyArray<Need> => {
    switch (item.type) {
      case "notebook":
        return [[records, "notebook", names.id("notebook", item.record.id)]]
      case "tag":
        return [[records, "tag", names.id("tag", item.record.id)]]
      case "template":
        return [[records, "template", names.id("template", item.record.id)]]
      case "whole_note":
        return [[records, "note", names.note(item.record.id)]]
      case "versions":
        return [[notes, names.note(item.note_id)]]
      case "part":
        return [
          [records, item.of, names.id(item.of, item.record.id)],
          NotePart.need(item.into ?? names.note(item.note_id))
        ]
    }
  })
