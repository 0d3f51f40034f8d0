import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

/** Maximum kilobytes, compressed, of what the first page loads, and of that with the editor. */
const most = { page: 60, withEditor: 200 }

const kilobytes = (texts: Iterable<string>): number =>
  [...texts].reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000

it("the first page of the console is at most 60 KB, and at most 200 KB with the editor", async () => {
  const { origin } = new URL(app.url)
  const page = await (await fetch(`${origin}/console`)).text()
  const files = new Map<string, string>()
  /** Reads a file, and those that its code imports. */
  const read = async (url: string, imports: RegExp): Promise<void> => {
    if (files.has(url)) return
    const text = await (await fetch(url)).text()
    files.set(url, text)
    if (!url.endsWith(".js")) return
    for (const [, path] of text.matchAll(imports)) await read(new URL(path!, url).href, imports)
  }
  const entries = [...page.matchAll(/<(?:link rel="stylesheet"|script)[^>]* (?:href|src)="([^"]+)"/g)]
  expect(entries).toHaveLength(2)
  for (const [, path] of entries) await read(new URL(path!, origin).href, /(?:from|import)"(\.[^"]+)"/g)
  const first = kilobytes([page, ...files.values()])
  const main = [...files.keys()]
  files.clear()
  for (const url of main) await read(url, /(?:from|import\(?)"(\.[^"]+)"/g)
  const whole = kilobytes([page, ...files.values()])
  console.log(`console: ${first.toFixed(1)} KB, with the editor ${whole.toFixed(1)} KB`)
  expect(files.size).toBeGreaterThan(main.length)
  expect(first).toBeLessThanOrEqual(most.page)
  expect(whole).toBeLessThanOrEqual(most.withEditor)
})
