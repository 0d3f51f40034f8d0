import { zipOf } from "../../services/transfers/Zip.ts"
import { Files } from "../Files.ts"
import { eventually } from "../flows/eventually.ts"
import type { TestApp } from "../TestApp.ts"
import { unzip } from "../Unzip.ts"
import { titles } from "./Texts.ts"
import { hashAt, sizeAt } from "./Uploads.ts"

/** Exports and imports with random numbers. */

interface Ids {
  readonly note: string
  readonly notebook: string
  readonly attachment: string
  readonly comment: string
}

/** The body of a request for an export. Attachments of one name would have any order in Markdown. */
export const exportOf = (numbers: ReadonlyArray<number>, notebook_id: string): object => ({
  scope: numbers[1]! % 7 === 0 ? "workspace" : "notebook",
  notebook_id,
  format: numbers[2]! % 2 === 0 ? "json" : "markdown",
  include_attachments: numbers[2]! % 2 === 0
})

/** The body of a request for an import. */
export const importOf = (numbers: ReadonlyArray<number>, notebook_id: string): object => ({
  source: "auto",
  filename: "vault.zip",
  on_existing: ["skip", "update", "duplicate"][numbers[1]! % 3],
  ...(numbers[2]! % 5 === 0 ? {} : { notebook_id })
})

/**
 * The file of an import, with one note, because ids of notes of one import have any order. No import elsewhere has its tags: a tag
 * of the workspace keeps its color and time.
 */
export const archiveOf = (numbers: ReadonlyArray<number>, { attachment, comment, note, notebook }: Ids): Buffer => {
  const title = titles[numbers[3]! % titles.length]!
  const body = `[[Plan]] [[Trip]] [[Secret]] [[Private/Secret]]\n\n${numbers[4]! % 2}`
  if (numbers[5]! % 2 === 0) {
    return zipOf([
      {
        name: `${["Folder/", "Private/", ""][numbers[6]! % 3]}${title}.md`,
        content: `${body}\n![[scan.png]]`
      },
      { name: "scan.png", content: "a file" }
    ])
  }
  const times = { created_at: "2020-01-01T00:00:00.000Z", updated_at: "2020-01-01T00:00:00.000Z" }
  const author = { author_id: null, restored_from: null }
  const record = {
    note: { id: note, title, body, notebook_id: notebook, tags: ["red", "green"], version: 1, ...author, ...times },
    versions: [],
    attachments: [
      { id: attachment, filename: "a.txt", size: sizeAt(numbers[7]!), sha256: hashAt(numbers[7]!), ...times }
    ],
    comments: [
      { id: comment, parent_id: null, author_id: null, body: "old", resolved: false, deleted: false, ...times }
    ]
  }
  const name = ["Private", "Shared", "Inbox"][numbers[6]! % 3]!
  return zipOf(
    Object.entries({
      "notebooks.json": [{ id: notebook, name, parent_id: null, ...times }],
      "tags.json": [{ id: "tg_00000000000000000000", name: "green", color: "#ff0000", created_at: times.created_at }],
      [`notes/${note}.json`]: record,
      "manifest.json": { format: "sheaf-export", version: 1, include_attachments: false }
    }).map(([path, value]) => ({ name: path, content: JSON.stringify(value) }))
  )
}

/** Waits until an export or import has ended, without requests, which are counted. */
export const ended = (app: TestApp, id: string): Promise<unknown> =>
  eventually("the transfer has ended", async () => {
    const table = id.startsWith("ex_") ? "exports" : "imports"
    const [row] = await app.sql(`SELECT status FROM ${table} WHERE id = $1`, [id])
    return row.status !== "queued"
  })

/** The contents of the file of an export: the values of JSON, and texts. */
export const contentsOf = async (app: TestApp, url: string): Promise<Array<object>> => {
  const { bytes } = await new Files(app).call("GET", url)
  return [...(await unzip(bytes)).files].map(([path, content]) => ({
    path,
    content: path.endsWith(".json") ? JSON.parse(content.toString()) : content.toString()
  }))
}
