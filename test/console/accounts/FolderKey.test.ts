import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { connectCommand, connectText } from "../../../src/clients/console/settings/folders/ConnectText.ts"
import { connectionOf } from "../../../src/program/cli/folders/FolderConnection.ts"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { qrText } from "../../support/browser/qrText.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

const execute = promisify(execFile)
const screenshots = process.env["SCREENSHOTS"]

describe("the text that connects a folder", () => {
  it.each([
    "https://notes.example.org/v2",
    "http://127.0.0.1:4000/v2",
    "https://example.org/sheaf/v2",
    "https://[::1]:8443/v2"
  ])("names %s and a key as the program reads it", (url) => {
    expect(connectionOf(connectText(url, "sfk_aB3-_"))).toEqual({ url, key: "sfk_aB3-_" })
  })

  it.each(["notes", "My notes", "Ann's notes", "~/My notes", "$HOME/`id`", "-x", "été", ""])(
    "is in a command that a shell reads with the folder %s",
    async (folder) => {
      const command = connectCommand(folder, "http://key@127.0.0.1")
      const { stdout } = await execute("sh", ["-c", `sheaf() { printf '%s\\n' "$@"; }\n${command}`], {
        env: { HOME: "/home/ann" }
      })
      const path = folder.startsWith("-") ? `./${folder}` : folder.replace(/^~/, "/home/ann")
      expect(stdout).toBe(`sync\n${path}\n--connect\nhttp://key@127.0.0.1\n`)
    }
  )
})

describe.skipIf(missing !== "")(`a folder in the console${missing}`, () => {
  const given = useConsole()
  let place: string
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), "sheaf-folder-key-"))
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
  })
  afterEach(() => rmSync(place, { recursive: true, force: true }))

  /** Checks the page on desktops and on a narrow phone, in light and dark colours. */
  const check = async (page: Page, name: string): Promise<void> => {
    for (const [width, height] of [
      [1280, 800],
      [360, 740]
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        expect([name, width, colorScheme, await audit(page)]).toEqual([name, width, colorScheme, []])
        const content = await page.evaluate<number>(
          `Math.max(...[...document.querySelectorAll("html, .settings > main")].map((each) => each.scrollWidth))`
        )
        expect([name, content <= width]).toEqual([name, true])
        if (screenshots !== undefined)
          await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) })
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  /** Runs a line in a shell that has the program. */
  const shell = (line: string) =>
    execute("bash", ["-c", `sheaf() { "${process.execPath}" "${resolve("dist/main.js")}" "$@"; }\n${line}`], {
      cwd: place,
      env: { PATH: process.env["PATH"], HOME: place }
    })

  it("is connected by keyboard: its notes come to a folder by the command, until the key is revoked", async () => {
    const who = await given.account()
    const { client } = who
    const trips = await client.createNotebook({ name: "Trips" })
    await client.createNote({ notebook_id: trips.id, title: "Vienna", body: "By train.\n" })
    await client.createNote({ notebook_id: who.notebook_id, title: "Private", body: "Not in the folder.\n" })
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.follow("start/connect")
    await page.getByRole("link", { name: "Connect a folder" }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Folder", exact: true }).waitFor()
    const name = page.getByLabel("Folder", { exact: true })
    expect(await name.inputValue()).toBe("Folder")
    await name.focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Ann's trips")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.getByRole("group", { name: "The notes of chosen notebooks" }).waitFor()
    expect(await pages.button("Make the key").isDisabled()).toBe(true)
    await page.getByLabel("Trips", { exact: true }).focus()
    await page.keyboard.press("Space")
    await check(page, "folder-form")
    await pages.button("Make the key").focus()
    await page.keyboard.press("Enter")
    const secret = page.getByRole("textbox", { name: "Secret of “Ann's trips”" })
    const connect = await secret.inputValue()
    expect(await secret.evaluate((each) => each === (each as any).ownerDocument.activeElement)).toBe(true)
    const { host, protocol } = new URL(given.sheaf.url)
    expect(connect).toMatch(new RegExp(`^${protocol}//sfk_\\w+@${host}$`))
    expect(await qrText(page)).toBe(connect)
    const command = (await page.getByRole("region", { name: "sheaf sync" }).innerText()).trim()
    expect(command).toBe(`sheaf sync 'Ann'\\''s trips' --connect '${connect}'`)
    await check(page, "folder-made")
    const [key] = (await client.listApiKeys()).data
    expect(key).toMatchObject({
      name: "Ann's trips",
      scopes: ["notes:read", "notes:write"],
      notebooks: [{ id: trips.id, access: "write", include_subnotebooks: true }]
    })

    mkdirSync(join(place, "Ann's trips"))
    expect((await shell(`${command} --once`)).stdout).toBe("written            Vienna.md\n")
    expect(readFileSync(join(place, "Ann's trips", "Vienna.md"), "utf8")).toBe("By train.\n")
    writeFileSync(join(place, "Ann's trips", "Graz.md"), "By bus.\n")
    await shell(`sheaf sync "Ann's trips" --once`)
    const { data } = await client.listNotes({ filter: `notebook_id = "${trips.id}"` })
    expect(data.map(({ title }) => title).toSorted()).toEqual(["Graz", "Vienna"])

    await pages.button("Done").click()
    await page.getByRole("link", { name: "API keys" }).last().click()
    await page.getByRole("button", { name: "Revoke Ann's trips" }).click()
    await pages.dialog("Revoke Ann's trips").getByRole("button", { name: "Revoke the key" }).click()
    await page.getByText("There are no keys.").waitFor()
    await expect(shell(`sheaf sync "Ann's trips" --once`)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("invalid_token")
    })
    expect(readdirSync(join(place, "Ann's trips")).toSorted()).toEqual(["Graz.md", "Vienna.md"])
    expect(pages.seen()).toEqual([])
    await page.context().close()
  })
})
