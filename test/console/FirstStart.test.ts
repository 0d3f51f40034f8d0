import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch, missing } from "../support/browser/Chromium.ts"
import { zipOf } from "../services/transfers/Zip.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { qrText } from "../support/browser/qrText.ts"
import { watched } from "../support/browser/Watched.ts"
import { callTool } from "../support/mcp/McpWire.ts"
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

  it("leads from the setup link to a vault, a client and notes, which another browser shows, and which survive kill -9", async () => {
    const env = { DATA_DIR: join(place, "data"), PORT: String(await freePort()) }
    let program = new Program(env)
    const url = await program.url()
    const { origin } = new URL(url)
    const { annotations } = program.log.find(({ message }) => message === setupMessage)!
    const context = await browser.newContext()
    const first = await watched(context, origin)
    const { page } = first
    await page.goto(annotations.link)
    await page.getByLabel("E-mail address").fill(owner.email)
    await page.getByLabel("Name", { exact: true }).fill("Ada")
    await page.getByLabel("Password", { exact: true }).fill(owner.password)
    await page.getByRole("button").click()
    await page.getByRole("link", { name: "Continue" }).click()

    const vault = zipOf([
      { name: "Trips/Vienna.md", content: "The night train leaves at 19:40. See [[Lisbon]]." },
      { name: "Trips/Lisbon.md", content: "By the sea." }
    ])
    await page.getByRole("heading", { name: "Bring your notes" }).waitFor()
    expect(page.url()).toBe(`${origin}/console/start`)
    await page.getByRole("button", { name: "Write your first note" }).waitFor()
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "vault.zip", mimeType: "application/zip", buffer: vault })
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByText("2 notes imported.").waitFor()
    await page.getByRole("button", { name: "Go to the notes" }).waitFor()
    await page.getByRole("button", { name: "Connect a client (optional)" }).click()

    await page.getByRole("heading", { name: "Connect a client" }).waitFor()
    await page.reload()
    await page.getByRole("button", { name: "Make the key" }).click()
    const key = await page.getByLabel("Key “Assistant”").last().inputValue()
    await page.getByLabel("Configuration for").selectOption("Claude")
    const configuration = await page.getByRole("region", { name: "Content of claude_desktop_config.json" }).innerText()
    const { args, env: variables } = JSON.parse(configuration).mcpServers.sheaf
    expect([args[2], variables]).toEqual([`${origin}/mcp`, { SHEAF_AUTH: `Bearer ${key}` }])
    const client = { url, headers: { authorization: variables.SHEAF_AUTH } }
    expect((await callTool(client, "whoami"))?.value).toMatchObject({ name: "Ada", can_write: false })
    expect(await callTool(client, "search_notes", { query: "night train" })).toMatchObject({
      value: { notes: [{ title: "Vienna" }] }
    })
    await page.getByRole("img", { name: `QR code of the address ${url}` }).waitFor()
    expect(await qrText(page)).toBe(url)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("button", { name: "Go to the notes" }).click()
    await page.getByText("Lisbon", { exact: true }).first().waitFor()
    // Requests that ended early with the page that was loaded again.
    expect(first.seen().filter((each) => !each.startsWith("failed: "))).toEqual([])
    await page.close()

    const one = await ConsolePages.open(context, origin)
    await one.button("Account and workspace").click()
    await one.page.getByRole("menuitem", { name: "Connect a client" }).click()
    await one.button("Go to the notes").click()
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

    // A server that was set up again has the same address, and this browser has an account of the one before.
    const { page: again } = await ConsolePages.open(context, origin, "start#email=eve%40console.test")
    await again.getByText("Your notes, on your server.").waitFor()
    expect(await again.getByLabel("E-mail address").inputValue()).toBe("eve@console.test")
  })
})
