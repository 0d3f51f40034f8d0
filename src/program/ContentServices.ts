import { Layer } from "effect"
import { ContentLinks } from "../../services/contents/ContentLinks.ts"
import { Contents } from "../../services/contents/Contents.ts"
import { ContentTasks } from "../../services/contents/ContentTasks.ts"
import { NoteLists } from "../../services/contents/NoteLists.ts"
import { NoteProperties } from "../../services/contents/NoteProperties.ts"
import { Renames } from "../../services/contents/Renames.ts"

/** The services that read what the texts of notes contain. */
export const contents = Layer.mergeAll(
  ContentLinks.layer,
  ContentTasks.layer,
  NoteLists.layer,
  NoteProperties.layer,
  Renames.layer
).pipe(Layer.provideMerge(Contents.layer))
