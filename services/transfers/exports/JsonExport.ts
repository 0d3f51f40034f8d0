import { formatVersion } from "./Export.ts"
import type { NoteHead } from "./ExportRows.ts"
import type { ExportSource, Output } from "./ExportSource.ts"
import { writeFiles } from "./ExportFiles.ts"
import { ahead, groups } from "./NoteGroups.ts"
import { pack } from "../formats/zip/ZipWriter.ts"

/** Bytes above which a note, with its history and records, is written in pieces. */
const maxHeld = 4 * 1024 * 1024
/** Maximum bytes in JSON of a character of one byte. */
const longestEscape = 6

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const arrayOf = (rows: ReadonlyArray<{ readonly json: string }>): string =>
  `[${rows.map(({ json }) => json).join(",\n")}]\n`

/** Writes a JSON export, which is complete: one file per note, and a manifest. */
export const exportJson = async (source: ExportSource, output: Output): Promise<void> => {
  const { progress, zip } = output
  const { notebooks, parameters, workspace } = source
  const { created_at } = workspace
  const total = Math.max(1, source.noteCount)
  const counts = { notebooks: notebooks.length, tags: 0, notes: 0, templates: 0, files: 0 }

  await zip.add("notebooks.json", created_at, pack(arrayOf(notebooks)))
  const tags = await source.tags()
  counts.tags = tags.length
  await zip.add("tags.json", created_at, pack(arrayOf(tags)))

  async function* groupsOf(notebook_id: string) {
    for await (const page of source.heads(notebook_id)) {
      yield* groups(page, ({ bytes, more }) => bytes + more)
    }
  }
  const isHeavy = ({ bytes, more }: NoteHead) => bytes + more > maxHeld
  for (const { id: notebook_id } of notebooks) {
    const read = async (group: ReadonlyArray<NoteHead>) =>
      isHeavy(group[0]!) ? { heavy: group[0]! } : { light: await source.wholeNotes(group.map(({ id }) => id)) }
    for await (const group of ahead(groupsOf(notebook_id), read)) {
      if ("light" in group) {
        for (const { id, json, updated_at } of group.light) await zip.add(`notes/${id}.json`, updated_at, pack(json))
        counts.notes += group.light.length
      } else {
        const { bytes, id, more, updated_at } = group.heavy
        const most = longestEscape * (bytes + more) + maxHeld
        await zip.addStream(`notes/${id}.json`, updated_at, encoded(source.pieces(id)), most)
        counts.notes++
      }
      progress(counts.notes / total)
    }
  }

  if (parameters.scope === "workspace") {
    for await (const { id, json, updated_at } of source.templates()) {
      await zip.add(`templates/${id}.json`, updated_at, pack(json))
      counts.templates++
    }
  }
  // Several attachments may have the same bytes, which are written once.
  const { count, missing } = parameters.include_attachments
    ? await writeFiles(source.files(), output, ({ sha256 }) => `files/${sha256}`)
    : { count: 0, missing: [] }
  counts.files = count
  const { include_attachments, notebook_id, scope, workspace_id } = parameters
  const manifest = {
    format: "sheaf-export",
    version: formatVersion,
    scope,
    notebook_id,
    include_attachments,
    // A credential for some notebooks reads nothing else of the workspace: a seq shows how much it changes.
    ...(parameters.reach === null
      ? { workspace: { id: workspace_id, name: workspace.name }, as_of: { seq: workspace.seq, epoch: workspace.epoch } }
      : { workspace: { id: workspace_id } }),
    counts,
    ...(missing.length > 0 && {
      missing_files: missing.map(({ filename, id, note_id, reason, sha256 }) => ({
        sha256,
        reason,
        attachment_id: id,
        note_id,
        filename
      }))
    })
  }
  await zip.add("manifest.json", created_at, pack(`${JSON.stringify(manifest, null, 2)}\n`))
}
