import type { BrowserContext, Page } from "playwright-core"
import { type Watched, watched } from "./Watched.ts"

/** The address and the password of an account. */
export interface Credentials {
  readonly email: string
  readonly password: string
}

/** Requests of the page that the server has refused or that ended early: the console shows those that matter. */
const isExpected = (seen: string): boolean =>
  /^failed: |^\d{3}: |^console: .*(?:Failed to load resource|net::ERR_)/.test(seen)

/** Milliseconds for which an action waits. It only ends a test that hangs: on a busy machine an action may take long. */
const patience = 120_000

/** A tab with the console, and what a person does in it. Each action waits for what it causes on the page. */
export class ConsolePages {
  readonly page: Page
  private readonly tab: Watched

  private constructor(tab: Watched) {
    this.tab = tab
    this.page = tab.page
  }

  /** Opens a page of the console in a new tab. `url` is the address of the server. */
  static async open(context: BrowserContext, url: string, path = ""): Promise<ConsolePages> {
    const { origin } = new URL(url)
    const pages = new ConsolePages(await watched(context, origin))
    pages.page.setDefaultTimeout(patience)
    await pages.page.goto(`${origin}/console/${path}`)
    return pages
  }

  /** Returns and clears: dialogs, errors, pop-ups, and requests to other origins. */
  seen(): ReadonlyArray<string> {
    return this.tab.seen().filter((each) => !isExpected(each))
  }

  async signIn({ email, password }: Credentials): Promise<void> {
    await this.page.getByLabel("E-mail address").fill(email)
    await this.page.getByLabel("Password").fill(password)
    await this.page.locator("form.sign-in button[type=submit]").click()
    await this.page.locator(".shell, .steps").waitFor()
  }

  /** Enters the password in the dialog that is offered when the session has ended. */
  async signInAgain(password: string): Promise<void> {
    const dialog = this.dialog("Your session has ended")
    if (!(await dialog.isVisible())) await this.page.getByRole("alert").getByRole("button", { name: "Sign in" }).click()
    await dialog.getByLabel("Password").fill(password)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await dialog.waitFor({ state: "detached" })
  }

  /** Opens another workspace of the account. */
  async openWorkspace(name: string): Promise<void> {
    await this.button("Account and workspace").click()
    await this.page.getByRole("menuitemradio", { name }).click()
    await this.page.locator(".account strong", { hasText: name }).waitFor()
  }

  /** Begins a note. Its editor is open; nothing is stored. */
  async begin(title: string, body: string): Promise<void> {
    await this.button("New note").click()
    await this.editor.waitFor()
    await this.page.getByRole("textbox", { name: "Title" }).fill(title)
    await this.type(body)
  }

  /** Writes a note, and returns its id. */
  async write(title: string, body: string): Promise<string> {
    await this.begin(title, body)
    await this.state("Saved")
    await this.page.waitForURL(/\/nt_/)
    return this.noteId
  }

  /** Types at the end of the open note. */
  async type(text: string): Promise<void> {
    await this.editor.focus()
    await this.page.keyboard.press("Control+End")
    await this.page.keyboard.insertText(text)
  }

  /** Replaces the text of the open note. */
  async retype(text: string): Promise<void> {
    await this.editor.focus()
    await this.page.keyboard.press("Control+a")
    await this.page.keyboard.insertText(text)
  }

  /** Opens a note of the list. */
  async read(title: string): Promise<void> {
    await this.row(title).click()
    await this.page.locator(".reading h1", { hasText: title }).waitFor()
  }

  /** Opens a page of the console as a link does, without loading it again. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate(`{
      const link = Object.assign(document.createElement("a"), { href: "/console/" + ${JSON.stringify(path)} })
      document.body.append(link)
      link.click()
      link.remove()
    }`)
  }

  /** Opens the editor of the open note. */
  async edit(): Promise<void> {
    await this.button("Write").click()
    await this.editor.waitFor()
  }

  async search(query: string): Promise<void> {
    await this.page.getByPlaceholder("Search notes").fill(query)
    await this.page.waitForURL((url) => url.searchParams.get("q") === query)
  }

  /** Opens a page of the settings. */
  settings(name: string): Promise<void> {
    return this.administration("Settings", name)
  }

  /** Opens a page for operators of the server. */
  server(name: string): Promise<void> {
    return this.administration("Server", name)
  }

  private async administration(area: string, name: string): Promise<void> {
    const navigation = this.page.getByRole("navigation", { name: area })
    if (!(await navigation.isVisible())) {
      await this.button("Account and workspace").click()
      await this.page.getByRole("menuitem", { name: area }).click()
    }
    await navigation.getByRole("link", { name, exact: true }).click()
    await this.page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
  }

  /** The row of a table that has a text. */
  tableRow(text: string) {
    return this.page.locator("tbody tr", { hasText: text }).first()
  }

  /** Opens a dialog of the open note by its button. */
  async openDialog(name: string): Promise<void> {
    await this.button(name).click()
    await this.dialog(name).waitFor()
  }

  async closeDialog(name: string): Promise<void> {
    await this.dialog(name).locator("header").getByRole("button", { name: "Close" }).click()
    await this.dialog(name).waitFor({ state: "detached" })
  }

  /** Runs an action once, before the server gets the next text of a note. */
  async beforeSave(action: () => Promise<unknown>): Promise<void> {
    let isDone = false
    await this.page.route(/\/v2\/notes\/nt_\w+$/, async (route, request) => {
      if (request.method() === "PATCH" && !isDone) {
        isDone = true
        await action()
      }
      await route.continue()
    })
  }

  /** Waits until the state of the open note is this text. */
  async state(text: string): Promise<void> {
    await this.page.locator(".save-state", { hasText: new RegExp(`^${text}$`) }).waitFor()
  }

  dialog(name: string) {
    return this.page.getByRole("dialog", { name })
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true })
  }

  /** The row of a note in the list. */
  row(title: string) {
    return this.page.locator(".windowed a.row", { has: this.page.getByText(title, { exact: true }) })
  }

  /** The text that the editor shows. */
  get editor() {
    return this.page.locator(".cm-content")
  }

  /** The rendered text of the open note. */
  get rendered() {
    return this.page.frameLocator("iframe.note-html").locator("main")
  }

  get noteId(): string {
    return new URL(this.page.url()).pathname.split("/").at(-1)!
  }
}
