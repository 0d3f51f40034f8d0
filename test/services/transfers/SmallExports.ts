import { sha256Of } from "../../support/Files.ts"
import { type ZipEntry, zipOf } from "./Zip.ts"

/** The same two notes as files of several programs, with parts that tests change. */

export interface File {
  readonly source: string
  readonly filename: string
  readonly bytes: Buffer
}

/** Two notes that link to each other; the first has a picture. Tests change these parts. */
interface Parts {
  readonly first?: string
  readonly picture?: string
  /** Adds a note that links to the first. */
  readonly further?: boolean
}

export const markdown = ({ first = "one", further = false, picture = "a picture" }: Parts = {}): File => {
  const entries: Array<ZipEntry> = [
    { name: "Work/First.md", content: `${first} ![[p.png]] [[Second]]` },
    { name: "Work/Second.md", content: "two [[First]]" },
    { name: "Work/p.png", content: picture },
    { name: "Work/unused.txt", content: "unused" }
  ]
  if (further) entries.push({ name: "Work/Further.md", content: "three [[First]]" })
  return { source: "markdown", filename: "vault.zip", bytes: zipOf(entries) }
}

export const id = (letter: string) => letter.repeat(32)
export const notion = ({ first = "one", further = false, picture = "a picture" }: Parts = {}): File => {
  const page = (title: string, letter: string, text: string) => ({
    name: `${title} ${id(letter)}.md`,
    content: `# ${title}\n\n${text}\n`
  })
  const entries: Array<ZipEntry> = [
    page("First", "a", `${first} ![p](p.png) [Second](Second%20${id("b")}.md)`),
    page("Second", "b", `two [First](First%20${id("a")}.md)`),
    { name: "p.png", content: picture }
  ]
  if (further) entries.push(page("Further", "c", `three [First](First%20${id("a")}.md)`))
  return { source: "notion", filename: "Export.zip", bytes: zipOf(entries) }
}

export const enex = ({ first = "one", further = false, picture = "a picture" }: Parts = {}): File => {
  const data = Buffer.from(picture).toString("base64")
  const link = (title: string) => `<a href="evernote:///view/1/s1/x/x/">${title}</a>`
  const note = (title: string, text: string, resource = "") =>
    `<note><title>${title}</title><created>20200102T030405Z</created><content><![CDATA[<en-note>${text}</en-note>]]></content>${resource}</note>`
  const resource = `<resource><data encoding="base64">${data}</data><mime>image/png</mime><resource-attributes><file-name>p.png</file-name></resource-attributes></resource>`
  const notes = [note("First", `${first} ${link("Second")}`, resource), note("Second", `two ${link("First")}`)]
  if (further) notes.unshift(note("Further", `three ${link("First")}`))
  const bytes = Buffer.from(`<?xml version="1.0"?><en-export>${notes.join("")}</en-export>`)
  return { source: "enex", filename: "Notes.enex", bytes }
}

export const json = ({ first = "one", further = false, picture = "a picture" }: Parts = {}): File => {
  const note = (letter: string, title: string, body: string, more: object = {}) => {
    const note = {
      id: `nt_${letter.repeat(20)}`,
      notebook_id: "nb_made000000000000000",
      title,
      body,
      tags: [],
      pinned: false,
      archived: false,
      version: 1,
      created_at: "2020-01-01T00:00:00.000Z",
      updated_at: "2020-01-01T00:00:00.000Z",
      author_id: null,
      restored_from: null
    }
    const content = JSON.stringify({ note, versions: [], attachments: [], comments: [], reminders: [], ...more })
    return { name: `notes/${note.id}.json`, content }
  }
  const sha256 = sha256Of(Buffer.from(picture))
  const attachment = {
    id: `at_${sha256.slice(0, 20)}`,
    filename: "p.png",
    content_type: "image/png",
    size: picture.length,
    sha256,
    created_at: "2020-01-01T00:00:00.000Z"
  }
  const notebook = {
    id: "nb_made000000000000000",
    name: "Made",
    created_at: "2020-01-01T00:00:00.000Z",
    updated_at: "2020-01-01T00:00:00.000Z"
  }
  const template = {
    id: "tp_made000000000000000",
    name: "Letter",
    body: "Dear",
    ...{ created_at: notebook.created_at }
  }
  const to = (letter: string) => `[it](note:nt_${letter.repeat(20)})`
  const entries: Array<ZipEntry> = [
    {
      name: "manifest.json",
      content: JSON.stringify({ format: "sheaf-export", version: 1, include_attachments: true })
    },
    { name: "notebooks.json", content: JSON.stringify([notebook]) },
    { name: "tags.json", content: "[]" },
    note("a", "First", `${first} ![p](attachment:${attachment.id}) ${to("b")}`, { attachments: [attachment] }),
    note("b", "Second", `two ${to("a")}`),
    {
      name: `templates/${template.id}.json`,
      content: JSON.stringify({ ...template, updated_at: template.created_at })
    },
    { name: `files/${sha256}`, content: picture }
  ]
  if (further) entries.push(note("c", "Further", `three ${to("a")}`))
  return { source: "json", filename: "export.zip", bytes: zipOf(entries) }
}
