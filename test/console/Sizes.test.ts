import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

/**
 * Maximum kilobytes, compressed, of what the first page loads, of that with the editor, of what is loaded after the start and
 * of what the dialogs add to it, and of what the palette and other pages add to all of these.
 */
const most = {
  page: 60,
  withEditor: 204,
  afterStart: 10,
  dialogs: 24,
  finding: 16,
  settings: 31,
  keys: 4,
  folder: 6,
  server: 30,
  start: 11,
  factors: 16,
  passkey: 5,
  undoing: 5,
  links: 6,
  tasks: 4,
  properties: 36
}
/** The same of the texts in a language other than English. */
const mostOfLanguage = 24

const kilobytes = (texts: Iterable<string>): number =>
  [...texts].reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000

const atOnce = /(?:from|import)"(\.[^"]+)"/g
const onDemand = /(?:from|import\(?)"(\.[^"]+)"/g
/** The names of the files of other pages, of the dialogs, of the palette, of second factors, of an undo, of links, of tasks and of properties. */
const areas = {
  afterStart: "AfterStart",
  dialogs: "OnDemand",
  finding: "Finding",
  settings: "Settings",
  keys: "KeysPage",
  folder: "FolderPage",
  server: "ServerPages",
  start: "Start",
  factors: "FactorParts",
  passkey: "Passkey",
  undoing: "Undoing",
  links: "LinkParts",
  tasks: "TasksPane",
  properties: "PropertyParts"
}

/** The files of languages, each of which only its users load. */
const languages = ["GermanTexts", "FrenchTexts", "SpanishTexts", "ChineseTexts"]
const languageFile = new RegExp(`/(${languages.join("|")})-`)

/** The files of languages and of the areas, except of some areas. */
const without = (...opened: ReadonlyArray<keyof typeof areas>): RegExp => {
  const names = Object.entries(areas).flatMap(([each, name]) => (opened.some((area) => area === each) ? [] : [name]))
  return new RegExp(`/(?:${[...names, ...languages].join("|")})-`)
}

/** Reads files, and those that their code imports, except `left`. Returns their texts by their addresses. */
const load = async (urls: Iterable<string>, imports: RegExp, left?: RegExp): Promise<Map<string, string>> => {
  const files = new Map<string, string>()
  const read = async (url: string): Promise<void> => {
    if (files.has(url) || left?.test(url) === true) return
    const text = await (await fetch(url)).text()
    files.set(url, text)
    if (!url.endsWith(".js")) return
    for (const [, path] of text.matchAll(imports)) await read(new URL(path!, url).href)
  }
  for (const url of urls) await read(url)
  return files
}

it("the first page of the console is at most 60 KB, 204 KB with the editor, what follows the start 10 KB more, the settings 31 KB, its page of keys 4 KB, that of a folder 6 KB and the server pages 30 KB more, the start page 11 KB, second factors 16 KB, a passkey 5 KB, an undo 5 KB, the links of a note 6 KB, the tasks 4 KB, the properties 36 KB, the dialogs 24 KB, the palette 16 KB, a language 24 KB, the renderer 250 KB", async () => {
  const { origin } = new URL(app.url)
  const page = await (await fetch(`${origin}/console`)).text()
  const entries = [...page.matchAll(/<(?:link rel="stylesheet"|script)[^>]* (?:href|src)="([^"]+)"/g)]
  expect(entries).toHaveLength(2)
  const main = await load(
    entries.map(([, path]) => new URL(path!, origin).href),
    atOnce
  )
  const withEditor = await load(main.keys(), onDemand, without())
  const withDialogs = await load(main.keys(), onDemand, without("dialogs"))
  const added = async (area: keyof typeof areas, ...within: ReadonlyArray<keyof typeof areas>): Promise<number> => {
    const earlier = area === "dialogs" || area === "afterStart" ? withEditor : withDialogs
    const before = await load(earlier.keys(), onDemand, without(...within))
    const files = await load(before.keys(), onDemand, without(area, ...within))
    return kilobytes([...files].filter(([url]) => !before.has(url)).map(([, text]) => text))
  }
  const sizes = {
    page: kilobytes([page, ...main.values()]),
    withEditor: kilobytes([page, ...withEditor.values()]),
    afterStart: await added("afterStart"),
    dialogs: await added("dialogs"),
    finding: await added("finding"),
    settings: await added("settings"),
    keys: await added("keys", "settings"),
    folder: await added("folder", "settings"),
    server: await added("server"),
    start: await added("start"),
    factors: await added("factors"),
    passkey: await added("passkey"),
    undoing: await added("undoing"),
    links: await added("links"),
    tasks: await added("tasks"),
    properties: await added("properties")
  }
  console.log(`console, in KB: ${JSON.stringify(sizes)}`)
  expect(withEditor.size).toBeGreaterThan(main.size)
  for (const [name, size] of Object.entries(sizes)) {
    expect(size, name).toBeGreaterThan(0)
    expect(size, name).toBeLessThanOrEqual(most[name as keyof typeof most])
  }
  // The renderer of notes on a device, which a worker loads.
  const renderer = [...(await load(main.keys(), onDemand)).values()]
    .map((text) => /NoteRenderer-\w+\.js/.exec(text)?.[0])
    .find((name) => name !== undefined)
  expect(kilobytes((await load([`${origin}/console/assets/${renderer}`], /$^/g)).values())).toBeLessThanOrEqual(250)
  const texts = (await load(main.keys(), onDemand)).entries().filter(([url]) => languageFile.test(url))
  expect(
    [...texts].map(([url, text]) => [languageFile.exec(url)?.[1], kilobytes([text]) <= mostOfLanguage]).toSorted()
  ).toEqual(languages.map((name) => [name, true]).toSorted())
})
