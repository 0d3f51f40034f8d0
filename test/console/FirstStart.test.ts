import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch, missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { endPrograms, Program, setupMessage } from "../support/servers/Program.ts"
import { freePort } from "../support/servers/freePort.ts"
import { isSlow } from "../support/Slow.ts"

describe.skipIf(!isSlow || missing !== "")(`the console of a new server${missing}`, () => {
  const place = mkdtempSync(join(tmpdir(), "sheaf-first-"))
  const owner = { email: "ada@console.test", password: "correct horse battery" }
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(async () => {
    await browser.close()
    await endPrograms()
    rmSync(place, { recursive: true, force: true })
  })

  it("leads from the setup link to notes, which another browser shows, and which survive kill -9", async () => {
    const env = { DATA_DIR: join(place, "data"), PORT: String(await freePort()) }
    let program = new Program(env)
    const url = await program.url()
    const { origin } = new URL(url)
    const { annotations } = program.log.find(({ message }) => message === setupMessage)!
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(annotations.link)
    await page.getByLabel("E-mail address").fill(owner.email)
    await page.getByLabel("Password", { exact: true }).fill(owner.password)
    await page.getByRole("button").click()
    await page.getByRole("link", { name: "Open Sheaf" }).click()
    await page.getByText("Your notes, on your server.").waitFor()
    await page.close()

    const one = await ConsolePages.open(context, origin)
    await one.signIn(owner)
    const id = await one.write("First note", "One.")
    const other = await ConsolePages.open(await browser.newContext(), origin)
    await other.signIn(owner)
    await other.read("First note")
    await other.rendered.getByText("One.").waitFor()

    await program.kill("SIGKILL")
    await one.type(" Two.")
    await one.state("Offline: kept on this device")
    program = new Program(env)
    await program.url()
    await one.state("Saved")
    await one.type(" Three.")
    await one.state("Saved")
    await other.rendered.getByText("One. Two. Three.").waitFor()
    expect(one.noteId).toBe(id)
    expect([one.seen(), other.seen()]).toEqual([[], []])
  })
})
