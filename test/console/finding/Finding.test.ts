import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { isSlow } from "../../support/Slow.ts"

/** The folder for screenshots, if any. */
const screenshots = process.env["SCREENSHOTS"]

const windows = [
  ["phone", { width: 390, height: 844 }],
  ["desktop", { width: 1280, height: 800 }],
  ["wide", { width: 1920, height: 1080 }]
] as const

describe.skipIf(!isSlow || missing !== "")(`finding in the console${missing}`, () => {
  const given = useConsole()

  /** Looks at the open page in each window, light and dark, and returns what is not accessible or does not fit. */
  const wrongOf = async ({ page }: ConsolePages, name: string): Promise<ReadonlyArray<string>> => {
    const wrong: Array<string> = []
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
    for (const [device, size] of windows) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        if ((device === "phone" && colorScheme === "dark") || (device === "desktop" && colorScheme === "light"))
          wrong.push(...(await audit(page)))
        const path = join(screenshots ?? "", `${name}-${device}-${colorScheme}.png`)
        if (screenshots !== undefined) await page.screenshot({ path })
      }
    }
    await page.setViewportSize({ width: 360, height: 640 })
    const width = await page.evaluate<number>("document.documentElement.scrollWidth")
    if (width > 360) wrong.push(`wider than the window: ${width}`)
    await page.setViewportSize({ width: 1280, height: 800 })
    return wrong
  }

  /** The name of the option that is selected. */
  const selected = ({ page }: ConsolePages) => page.locator(".found[aria-selected=true] .found-title").innerText()

  it("takes what is typed while the palette is loaded", async () => {
    const context = await given.browse({ serviceWorkers: "block" })
    let release!: () => void
    const released = new Promise<void>((done) => (release = done))
    await context.route(/\/Finding-/, async (route) => {
      await released
      await route.continue()
    })
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(await given.account())
    const { keyboard } = pages.page
    await keyboard.press("Control+k")
    await keyboard.type("ab")
    await keyboard.press("Escape")
    await keyboard.press("Control+k")
    await keyboard.type("new nx")
    await keyboard.press("Backspace")
    await keyboard.press("Enter")
    release()
    await expect.poll(() => pages.page.getByRole("combobox").inputValue()).toBe("new n")
    expect(new URL(pages.page.url()).pathname).toBe("/console/")
    await context.close()
  })

  it("opens notes, headings, notebooks, tags and commands by Ctrl-K, also with typing errors", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips", icon: "plane" })
    for (const title of ["Packing list", "Vienna in winter", "Bread with rye"]) {
      const body = `# Plan\n\nThe way to ${title}.\n\n${"Words.\n\n".repeat(80)}\n## Return\n\nBack on Sunday.`
      await client.createNote({ notebook_id: trips.id, title, body, tags: ["travel"] })
    }
    await given.sheaf.advance("1 minute")
    for (let at = 0; at < 105; at++) await client.createNote({ notebook_id, title: `Note ${at}` })
    const pages = await given.signedIn(who)
    const { page } = pages
    const { keyboard } = page
    await page.locator(".windowed a.row").first().waitFor()
    await keyboard.press("Control+k")
    await page.locator(".palette .found").first().waitFor()
    await expect.poll(() => selected(pages)).toBe("New note")
    // Not loaded, and mistyped.
    await keyboard.type("viena")
    await page.locator(".found", { hasText: "Vienna in winter" }).waitFor()
    await expect.poll(() => selected(pages)).toContain("Search for")
    expect(await wrongOf(pages, "palette-server")).toEqual([])
    await keyboard.press("ArrowUp")
    await expect.poll(() => selected(pages)).toBe("Vienna in winter")
    await keyboard.press("Enter")
    await pages.rendered.getByText("Back on Sunday.").waitFor()
    await keyboard.press("Control+k")
    await keyboard.type("return")
    await expect.poll(() => selected(pages)).toBe("Return")
    await keyboard.press("Enter")
    const top = () => page.locator(".pane.note").evaluate((pane: { scrollTop: number }) => pane.scrollTop)
    await expect.poll(top).toBeGreaterThan(500)
    await keyboard.press("Control+k")
    await keyboard.type("trips")
    await expect.poll(() => selected(pages)).toBe("Trips")
    expect(await wrongOf(pages, "palette")).toEqual([])
    await keyboard.press("Enter")
    await page.waitForURL(/\/nb_/)
    await pages.row("Packing list").waitFor()
    await keyboard.press("Control+k")
    await keyboard.type("#trav")
    await expect.poll(() => selected(pages)).toBe("#travel")
    await keyboard.press("Enter")
    await page.waitForURL(/\/tag:travel/)
    await keyboard.press("Control+k")
    await page.locator(".found", { hasText: "Vienna in winter" }).waitFor()
    expect(await wrongOf(pages, "palette-recent")).toEqual([])
    await keyboard.type("dark")
    await keyboard.press("Enter")
    await expect.poll(() => page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(23, 25, 27)")
    await keyboard.press("Control+k")
    await keyboard.type("A plan for May")
    await page.locator(".found", { hasText: "New note “A plan for May”" }).click()
    await pages.editor.waitFor()
    expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("A plan for May")
    expect(pages.seen()).toEqual([])
  })

  it("lists the keys by ?, and does nothing by single keys while someone types or has switched them off", async () => {
    const pages = await given.signedIn(await given.account())
    const { page } = pages
    const { keyboard } = page
    await page.getByText("No notes yet.").waitFor()
    await keyboard.press("?")
    await pages.dialog("Keys").getByText("save now").waitFor()
    expect(await wrongOf(pages, "keys")).toEqual([])
    await keyboard.press("n")
    await pages.closeDialog("Keys")
    expect(await pages.editor.count()).toBe(0)
    await keyboard.press("/")
    await keyboard.type("n?d/")
    expect(await page.getByPlaceholder("Search notes").inputValue()).toBe("n?d/")
    await keyboard.press("Escape")
    await page.evaluate("document.activeElement.blur()")
    await keyboard.press("n")
    await pages.editor.waitFor()
    await page.getByRole("textbox", { name: "Title" }).fill("d?")
    await pages.state("Saved")
    await pages.button("Read").click()
    await keyboard.press("?")
    await pages
      .dialog("Keys")
      .getByLabel(/^Single keys/)
      .uncheck()
    await pages.closeDialog("Keys")
    await keyboard.press("Control+k")
    await pages.dialog("Find or do something").waitFor()
    await keyboard.type("contents")
    await keyboard.press("Enter")
    await pages.dialog("Outline of the note").getByText("This note has no headings.").waitFor()
    await keyboard.press("Escape")
    await keyboard.press("Control+k")
    await pages.dialog("Find or do something").waitFor()
    await keyboard.type("shortcuts")
    await keyboard.press("Enter")
    await pages.dialog("Keys").getByText("save now").waitFor()
    await pages.closeDialog("Keys")
    await keyboard.press("?")
    await keyboard.press("/")
    expect(await page.locator("dialog[open], .search input:focus").count()).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("sorts each list as chosen on this device, also after a note has changed, and shows a line for each note", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const other = await client.createNotebook({ name: "Other" })
    const made: Array<string> = []
    for (const title of ["Walnut", "apple", "Melon", "Fig"]) {
      made.push((await client.createNote({ notebook_id, title, body: `A ${title}.`, tags: ["fruit"] })).id)
      await given.sheaf.advance("1 minute")
    }
    await client.createNote({ notebook_id: other.id, title: "Elsewhere" })
    const pages = await given.signedIn(who)
    const { page } = pages
    const titles = async () => (await page.locator(".windowed .row-title").allTextContents()).join(" ")
    const choose = async (name: string) => {
      await pages.button("Order and rows of the list").click()
      await page.getByRole("menuitemradio", { name }).click()
    }
    await pages.follow(notebook_id)
    await expect.poll(titles).toBe("Fig Melon apple Walnut")
    await choose("Title")
    await expect.poll(titles).toBe("apple Fig Melon Walnut")
    await client.updateNote({ id: made[1]!, version: 1, title: "Orange" })
    await expect.poll(titles).toBe("Fig Melon Orange Walnut")
    await client.updateNote({ id: made[0]!, version: 1, pinned: true })
    await expect.poll(titles).toBe("Walnut Fig Melon Orange")
    await choose("Z to A")
    await expect.poll(titles).toBe("Walnut Orange Melon Fig")
    await pages.follow(other.id)
    await pages.row("Elsewhere").waitFor()
    await choose("One line for each note")
    await page.reload()
    await pages.row("Elsewhere").waitFor()
    await pages.follow(notebook_id)
    await expect.poll(titles).toBe("Walnut Orange Melon Fig")
    expect(await wrongOf(pages, "list-compact")).toEqual([])
    await choose("One line for each note")
    await choose("Created")
    await expect.poll(titles).toBe("Walnut Fig Melon Orange")
    expect(await wrongOf(pages, "list")).toEqual([])
    expect(pages.seen()).toEqual([])
  })

  it("moves, tags and trashes several notes, by keys, boxes and the pointer, and takes that back", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const made: Array<string> = []
    for (const title of ["One", "Two", "Three", "Four", "Five"]) {
      made.push((await client.createNote({ notebook_id, title, tags: title === "One" ? ["kept"] : [] })).id)
      await given.sheaf.advance("1 minute")
    }
    const pages = await given.signedIn(who)
    const { page } = pages
    const { keyboard } = page
    const count = async (filter: string) => (await client.listNotes({ filter })).data.length
    const undo = () => page.locator(".notice").getByRole("button", { name: "Undo" }).click()
    await pages.row("Five").focus()
    await keyboard.press("Shift+ArrowDown")
    await keyboard.press("Shift+ArrowDown")
    const bar = page.getByRole("toolbar", { name: "3 notes selected" })
    await bar.waitFor()
    await keyboard.press("Shift+ArrowUp")
    await page.getByRole("toolbar", { name: "2 notes selected" }).waitFor()
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    await keyboard.press(" ")
    await bar.waitFor()
    expect(await wrongOf(pages, "selection")).toEqual([])
    // One was erased since the list was read, which the list does not know yet.
    await page.route("**/v2/notes/" + made[3], (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({ status: 404, json: { code: "not_found", detail: "It is gone." } })
        : route.continue()
    )
    await bar.getByRole("button", { name: "Add a tag…" }).click()
    await pages.dialog("Add a tag to 3 notes").getByLabel("Tag", { exact: true }).fill("#new idea")
    await keyboard.press("Enter")
    await page.locator(".notice", { hasText: "2 notes got #new-idea. 1 note did not change: “Four”" }).waitFor()
    await page.getByRole("toolbar", { name: "1 note selected" }).waitFor()
    expect(await count("tags:new-idea")).toBe(2)
    await undo()
    await expect.poll(() => count("tags:new-idea")).toBe(0)
    expect(await count("tags:kept")).toBe(1)
    await page.unroute("**/v2/notes/" + made[3])
    await pages.row("Three").focus()
    await keyboard.press("Control+a")
    await page.getByRole("toolbar", { name: "5 notes selected" }).waitFor()
    await page.getByRole("button", { name: "Move to the trash" }).click()
    await page.getByText("5 notes are in the trash.").waitFor()
    await page.getByText("No notes yet.").waitFor()
    await undo()
    await pages.row("Three").waitFor()
    await page.getByLabel("Select One").check()
    await page.getByLabel("Select Three").click({ modifiers: ["Shift"] })
    await bar.waitFor()
    await pages.row("Two").dragTo(page.locator(".tree a", { hasText: "Trips" }))
    await page.getByText("3 notes are in “Trips” now.").waitFor()
    expect(await count(`notebook_id = ${trips.id}`)).toBe(3)
    await undo()
    await expect.poll(() => count(`notebook_id = ${trips.id}`)).toBe(0)
    await keyboard.press("Escape")
    await pages.row("Five").dragTo(page.locator(".tree a", { hasText: "Trips" }))
    await page.getByText("1 note is in “Trips” now.").waitFor()
    // Notes that another tab drags are not those that were dragged here.
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.setData("application/x-sheaf-notes", ${JSON.stringify(made[0])})
      const target = [...document.querySelectorAll(".tree a")].find((each) => !each.textContent.includes("Trips"))
      target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
    await pages.row("Two").dragTo(page.locator(".tree a", { hasText: "Trips" }))
    await expect.poll(() => count(`notebook_id = ${trips.id}`)).toBe(4)
    await pages.row("Five").focus()
    expect(pages.seen()).toEqual([])
  })

  it("opens one note of today on all devices, from the template, and again after it was in the trash", async () => {
    const who = await given.account()
    const { client } = who
    const notebook = await client.createNotebook({ name: "Daily" })
    await client.createTemplate({ name: "daily", body: "# Plan\n\nIn {{notebook.name}}." })
    const devices = await Promise.all([given.signedIn(who), given.signedIn(who), given.signedIn(who)])
    for (const { page } of devices) await page.getByText("No notes yet.").waitFor()
    await Promise.all(devices.map(({ page }) => page.keyboard.press("d")))
    for (const pages of devices) await pages.editor.getByText("In Daily.").waitFor()
    const [first] = devices
    const today = await first!.page.evaluate<string>(
      "new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 10)"
    )
    const all = async () => (await client.listNotes()).data.map(({ notebook_id, title }) => ({ notebook_id, title }))
    expect(await all()).toEqual([{ notebook_id: notebook.id, title: today }])
    const id = first!.noteId
    expect(devices.map(({ noteId }) => noteId)).toEqual([id, id, id])
    await client.updateNote({ id, version: (await client.getNote({ id })).version, body: "Mine." })
    await client.deleteNote({ id })
    await first!.follow("all")
    await first!.page.getByText("No notes yet.").waitFor()
    const open = async (text: string) => {
      await first!.page.evaluate("document.activeElement.blur()")
      await first!.page.keyboard.press("d")
      await first!.editor.getByText(text).waitFor()
    }
    await open("Mine.")
    await client.deleteNote({ id, permanent: true })
    await first!.follow("all")
    await first!.page.getByText("No notes yet.").waitFor()
    await open("In Daily.")
    await client.deleteNote({ id, permanent: true })
    await client.createNote({ notebook_id: notebook.id, title: today, body: "Imported." })
    // What a page leaves that is closed while it fills the note.
    await client.createNote({ notebook_id: notebook.id, title: id, body: "In Daily." })
    await first!.follow("trash")
    await first!.page.getByText("Nothing is in the trash.").waitFor()
    await open("Imported.")
    expect(await all()).toHaveLength(1)
    expect(devices.flatMap((pages) => pages.seen())).toEqual([])
  })

  it("filters a search by mouse, and jumps to headings of what is read or written", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips to come" })
    const body = `# Route\n\n${"A train.\n\n".repeat(80)}## Return\n\n${"A train.\n\n".repeat(80)}`
    await client.createNote({ notebook_id, title: "At home", body: "A train." })
    await client.createNote({ notebook_id: trips.id, title: "Vienna", body, tags: ["city"] })
    await client.createNote({ notebook_id: trips.id, title: "Alps", body: "A train.", archived: true })
    const pages = await given.signedIn(who)
    const { page } = pages
    const titles = async () => (await page.locator(".windowed .row-title").allTextContents()).sort().join(" ")
    await pages.search("train")
    await expect.poll(titles).toBe("Alps At home Vienna")
    const chips = page.getByRole("group", { name: "Filters of the search" })
    await chips.getByLabel("Notebook").selectOption({ label: "Trips to come" })
    await expect.poll(titles).toBe("Alps Vienna")
    expect(await page.getByPlaceholder("Search notes").inputValue()).toBe('train in:"Trips to come"')
    // Two notebooks have the same name.
    await client.createNotebook({ name: "Stays", parent_id: trips.id })
    const stays = await client.createNotebook({ name: "Stays", parent_id: notebook_id })
    await client.createNote({ notebook_id: stays.id, title: "Hotel", body: "A train." })
    await chips.getByLabel("Notebook").locator("option", { hasText: "Stays" }).nth(1).waitFor({ state: "attached" })
    await chips.getByLabel("Notebook").selectOption(stays.id)
    await expect.poll(titles).toBe("Hotel")
    await chips.getByLabel("Notebook").selectOption({ label: "Trips to come" })
    await chips.getByLabel("Archive").selectOption({ label: "Not archived" })
    await expect.poll(titles).toBe("Vienna")
    await chips.getByLabel("Tag").selectOption({ label: "#city" })
    await page.waitForURL((url) => url.searchParams.get("q") === 'train in:"Trips to come" -is:archived tag:city')
    await page.reload()
    await expect.poll(titles).toBe("Vienna")
    expect(await wrongOf(pages, "filters")).toEqual([])
    await chips.getByLabel("Changed").selectOption({ label: "Today" })
    await page.getByText("No note matches.").first().waitFor()
    await chips.getByLabel("Changed").selectOption({ label: "Changed" })
    await pages.read("Vienna")
    await pages.rendered.getByText("Return").waitFor()
    const top = () => page.locator(".pane.note").evaluate((pane: { scrollTop: number }) => pane.scrollTop)
    const jump = async () => {
      await pages.button("More").click()
      await page.getByRole("menuitem", { name: "Outline" }).click()
      await pages.dialog("Outline of the note").getByText("Return").click()
    }
    await jump()
    await expect.poll(top).toBeGreaterThan(1000)
    await pages.edit()
    await page.locator(".pane.note").evaluate((pane: { scrollTop: number }) => void (pane.scrollTop = 0))
    await pages.button("More").click()
    await page.getByRole("menuitem", { name: "Outline" }).click()
    await pages.dialog("Outline of the note").getByText("Return").waitFor()
    expect(await wrongOf(pages, "outline")).toEqual([])
    await pages.dialog("Outline of the note").getByText("Return").click()
    await expect.poll(top).toBeGreaterThan(1000)
    await page.keyboard.press("End")
    await page.keyboard.type(" journey")
    await pages.state("Saved")
    expect((await client.getNote({ id: pages.noteId })).body).toContain("## Return journey\n")
    expect(pages.seen()).toEqual([])
  })
})
