import type { BrowserContext, Page } from "playwright-core"

/** A page with a record of its hidden problems. */
export interface Watched {
  readonly page: Page
  /**
   * Returns and clears: dialogs, console errors and warnings, pop-ups, requests to other origins, and failed requests.
   */
  readonly seen: () => ReadonlyArray<string>
}

/** Opens a page that may send requests to one origin only. */
export const watched = async (context: BrowserContext, origin: string): Promise<Watched> => {
  const page = await context.newPage()
  let found: Array<string> = []
  page.on("dialog", (dialog) => {
    found.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") found.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => found.push(`error: ${error.message}`))
  page.on("popup", (popup) => found.push(`popup: ${popup.url()}`))
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) found.push(`request: ${request.url()}`)
  })
  page.on("requestfailed", (request) => found.push(`failed: ${request.url()} ${request.failure()?.errorText}`))
  page.on("response", (response) => {
    if (response.status() >= 400) found.push(`${response.status()}: ${response.url()}`)
  })
  return {
    page,
    seen: () => {
      const all = found
      found = []
      return all
    }
  }
}
