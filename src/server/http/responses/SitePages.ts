import { Effect } from "effect"
import { siteFile } from "../../reference/SiteFiles.ts"
import { placed } from "../../reference/SitePaths.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { StaticResponse } from "./StaticResponse.ts"

type Options = ConstructorParameters<typeof StaticResponse>[1]

/** Files of the API reference as responses, with the address of this server. Pages are cached. */
export class SitePages {
  readonly #publicUrl: string
  readonly #options: Options
  readonly #pages = new Map<string, StaticResponse>()

  constructor(publicUrl: string, options: Options) {
    this.#publicUrl = publicUrl
    this.#options = options
  }

  /** Returns the text of a file; undefined if there is no such file. */
  text(file: string): Effect.Effect<string | undefined> {
    return Effect.map(
      Effect.promise(() => siteFile(file)),
      (text) =>
        text === undefined ? undefined : placed(text, this.#publicUrl, file.endsWith(".html") ? escapeHtml : undefined)
    )
  }

  /** Returns the response for a file; undefined if there is no such file. */
  page(file: string): Effect.Effect<StaticResponse | undefined> {
    const page = this.#pages.get(file)
    if (page !== undefined) return Effect.succeed(page)
    return Effect.map(this.text(file), (text) => {
      if (text === undefined) return undefined
      const made = new StaticResponse(text, this.#options)
      this.#pages.set(file, made)
      return made
    })
  }
}
