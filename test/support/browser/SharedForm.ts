import type { Page } from "playwright-core"

/** What an app shares. */
interface SharedForm {
  readonly title?: string
  readonly text: string
  readonly url?: string
  readonly file?: { readonly name: string; readonly text: string }
}

/** A script that sends a form to the share target of a console, as apps and pages of other sites can. */
const scriptOf = (action: string, { file, ...values }: SharedForm): string => `{
  const form = Object.assign(document.createElement("form"), {
    method: "post",
    enctype: "multipart/form-data",
    action: ${JSON.stringify(action)}
  })
  for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
    const field = Object.assign(document.createElement("textarea"), { name, value })
    form.append(field)
  }
  const file = ${JSON.stringify(file ?? null)}
  if (file !== null) {
    const files = new DataTransfer()
    files.items.add(new File([file.text], file.name, { type: "text/plain" }))
    const field = Object.assign(document.createElement("input"), { type: "file", name: "files" })
    field.files = files.files
    form.append(field)
  }
  document.body.append(form)
  form.submit()
}`

/** Shares something from a page, and returns the query of the console's address to which it leads. */
export const shareFrom = async (page: Page, console: string, form: SharedForm): Promise<string> => {
  const there = page.waitForNavigation({ waitUntil: "domcontentloaded" })
  await page.evaluate(scriptOf(`${console}share`, form))
  await there
  const { pathname, search } = new URL(page.url())
  if (pathname !== new URL(console).pathname) throw new Error(`The form leads to ${page.url()}`)
  return search
}
