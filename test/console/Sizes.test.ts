import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

/** Maximum kilobytes, compressed, of what the first page loads, of that with the editor, and of what other pages add. */
const most = { page: 60, withEditor: 200, settings: 30, start: 10 }

const kilobytes = (texts: Iterable<string>): number =>
  [...texts].reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000

const atOnce = /(?:from|import)"(\.[^"]+)"/g
const onDemand = /(?:from|import\(?)"(\.[^"]+)"/g
const ofSettings = /\/Settings-/
const ofStart = /\/Start-/
const ofBoth = /\/(?:Settings|Start)-/

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

it("the first page of the console is at most 60 KB, 200 KB with the editor; the settings are 30 KB more, the start page 10 KB", async () => {
  const { origin } = new URL(app.url)
  const page = await (await fetch(`${origin}/console`)).text()
  const entries = [...page.matchAll(/<(?:link rel="stylesheet"|script)[^>]* (?:href|src)="([^"]+)"/g)]
  expect(entries).toHaveLength(2)
  const main = await load(
    entries.map(([, path]) => new URL(path!, origin).href),
    atOnce
  )
  const withEditor = await load(main.keys(), onDemand, ofBoth)
  const withSettings = await load(main.keys(), onDemand, ofStart)
  const withStart = await load(main.keys(), onDemand, ofSettings)
  const first = kilobytes([page, ...main.values()])
  const whole = kilobytes([page, ...withEditor.values()])
  const added = (loaded: ReadonlyMap<string, string>) =>
    kilobytes([...loaded].filter(([url]) => !withEditor.has(url)).map(([, text]) => text))
  const [settings, start] = [added(withSettings), added(withStart)]
  console.log(
    `console: ${first.toFixed(1)} KB, with the editor ${whole.toFixed(1)} KB, settings ${settings.toFixed(1)} KB, start page ${start.toFixed(1)} KB`
  )
  expect(withEditor.size).toBeGreaterThan(main.size)
  expect(withSettings.size).toBeGreaterThan(withEditor.size)
  expect(withStart.size).toBeGreaterThan(withEditor.size)
  expect(first).toBeLessThanOrEqual(most.page)
  expect(whole).toBeLessThanOrEqual(most.withEditor)
  expect(settings).toBeLessThanOrEqual(most.settings)
  expect(start).toBeLessThanOrEqual(most.start)
})
