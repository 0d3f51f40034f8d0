import { type Person, personOf } from "../people/People.ts"
import type { TestApp } from "../TestApp.ts"

/** A page at the end of a sign-in. */
export interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The person who is signed in by the page. */
  readonly person: Person | undefined
}

const rootOf = (app: TestApp): string => app.url.replace(/\/v2$/, "")

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const sessionIn = (text: string): Person | undefined => {
  const [, content] = /<meta name="sheaf-session" content="([^"]*)">/.exec(text) ?? []
  if (content === undefined) return undefined
  return personOf({ status: 200, headers: new Headers(), text, body: JSON.parse(unescaped(content)) })
}

/** A browser that follows a sign-in by hand, with the cookie of the server. */
export class SignInBrowser {
  cookie: string | undefined
  readonly #app: TestApp

  constructor(app: TestApp) {
    this.#app = app
  }

  /** Keeps the cookie of a response. */
  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      this.cookie = /Max-Age=0\b/.test(line) ? undefined : pair
    }
  }

  async get(address: string): Promise<Response> {
    const { pathname, search } = new URL(address, "http://sheaf.test")
    const response = await fetch(rootOf(this.#app) + pathname + search, {
      redirect: "manual",
      headers: { accept: "text/html", ...(this.cookie === undefined ? {} : { cookie: this.cookie }) }
    })
    this.keep(response.headers)
    return response
  }

  async show(address: string): Promise<Shown> {
    const response = await this.get(address)
    const text = await response.text()
    return { status: response.status, text, headers: response.headers, person: sessionIn(text) }
  }

  /** Begins a sign-in, and returns the address at the provider. */
  async begin(query: Record<string, string> = {}, number = 1): Promise<string> {
    const response = await this.get(`/sign-in/${number}?${new URLSearchParams(query)}`)
    if (response.status !== 303) throw new Error(await response.text())
    return response.headers.get("location")!
  }

  /** Signs in at the provider, and returns the address to which it leads back. */
  async atProvider(address: string): Promise<string> {
    const response = await fetch(address, { redirect: "manual" })
    return response.headers.get("location")!
  }

  /** Signs in from the first request to the page with the session. */
  async signIn(query: Record<string, string> = {}, number = 1): Promise<Shown> {
    return this.show(await this.atProvider(await this.begin(query, number)))
  }

  /** Continues what a signed-in person has begun by the API. */
  async follow(path: string, body: object, person: Person): Promise<Shown> {
    const answer = await this.#app.call("POST", path, body, person.headers)
    if (answer.status !== 200) throw new Error(answer.text)
    this.keep(answer.headers)
    return this.show(await this.atProvider(answer.body.redirect_url))
  }
}
