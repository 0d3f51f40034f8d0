import { expect } from "vitest"
import { fromAnywhere } from "../FromAnywhere.ts"
import type { TestApp } from "../TestApp.ts"

/** A page as a browser without scripts shows it. */
export interface Shown {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** The text without markup, on one line. */
  readonly text: string
  readonly forms: ReadonlyArray<{ readonly action: string; readonly fields: Readonly<Record<string, string>> }>
}

const plain = (html: string): string =>
  html
    .replaceAll(/<style>[^]*?<\/style>|<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim()

const attributes = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tag.matchAll(/ ([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = ""]) => [name!, plain(value)])
  )

const formsOf = (html: string, url: string): Shown["forms"] =>
  [...html.matchAll(/(<form[^>]*>)([^]*?)<\/form>/g)].map(([, tag, content]) => ({
    action: new URL(attributes(tag!)["action"] ?? "", url).href,
    fields: Object.fromEntries(
      [...content!.matchAll(/<input[^>]*>/g)].map(([input]) => {
        const { name, value = "" } = attributes(input)
        return [name!, value]
      })
    )
  }))

/** Visits pages as a browser without scripts does: opens links of mails, and submits forms. */
export class Visitor {
  private readonly app: TestApp
  private readonly from: Record<string, string>

  /** Each visitor has its own client address unless one is given. */
  constructor(app: TestApp, from = fromAnywhere()) {
    this.app = app
    this.from = from
  }

  private async ask(url: string, init: RequestInit): Promise<Shown> {
    const response = await fetch(url.replace("http://sheaf.test", new URL(this.app.url).origin), {
      redirect: "manual",
      ...init,
      headers: {
        accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        ...this.from,
        ...init.headers
      }
    })
    const html = await response.text()
    const { headers, status } = response
    return { url, status, headers, html, text: plain(html), forms: formsOf(html, url) }
  }

  open(url: string): Promise<Shown> {
    return this.ask(url, {})
  }

  /** Submits a form of the page, its fields filled with `typed`. */
  submit(page: Shown, typed: Readonly<Record<string, string>> = {}, form = 0): Promise<Shown> {
    const { action, fields } = page.forms[form]!
    return this.post(action, new URLSearchParams({ ...fields, ...typed }).toString())
  }

  post(url: string, body: string, type = "application/x-www-form-urlencoded"): Promise<Shown> {
    return this.ask(url, { method: "POST", body, headers: { "content-type": type } })
  }
}

/** The links in a mail. */
export const linksIn = ({ text }: { readonly text: string }): ReadonlyArray<string> =>
  [...text.matchAll(/^ {4}(http:\S+)$/gm)].map(([, link]) => link!)

/** Asserts that a page leads to the console, and with no more in the address than the id of a workspace. */
export const expectLinkToConsole = ({ html }: Shown, workspace?: string) =>
  expect(html).toContain(
    `<a class="button main" href="/console/${workspace === undefined ? "" : `?workspace=${workspace}`}">Open Sheaf</a>`
  )

/** Asserts the security headers and markup rules that every account page follows. */
export const expectSafe = ({ headers, html, url }: Shown) => {
  const policy = headers.get("content-security-policy")
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/
  )
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect([headers.get("cache-control"), headers.get("referrer-policy"), headers.get("x-robots-tag")]).toEqual([
    "no-store",
    "same-origin",
    "noindex, nofollow"
  ])
  expect(html.match(/<script.*/g)).toEqual([
    expect.stringMatching(/^<script type="module" src="\/console\/assets\/AccountForms-\w{8}\.js"><\/script>$/)
  ])
  expect(html).not.toMatch(/ on\w+=|style=|sf[ipcsar]_[0-9A-Za-z]{36}/)
  expect(
    [...html.matchAll(/ (?:href|action|src)="([^"]*)"/g)].filter(([, to]) => !to!.startsWith("/")),
    url
  ).toEqual([])
}
