import { workerModule } from "../../services/concurrency/WorkerModule.ts"
import { LimitedWorker } from "../../services/concurrency/LimitedWorker.ts"

/** A page by its slug, or the description itself. */
export type Page = { readonly slug: string } | { readonly file: "openapi.json" }
/** What is made of the operations of a server at an address; for a query a page of what is found. */
export type Asked = Page | { readonly query: string }
export type AskedAt = Asked & { readonly publicUrl: string }

/** The text, if there is such a page. */
export interface Made {
  readonly text: string | undefined
}

/** Makes the OpenAPI description and the pages of the API reference, which takes a tenth of a second of the first. */
export const referenceThread = () =>
  new LimitedWorker<AskedAt, Made>(workerModule(import.meta.url, "ReferenceWorker"), {
    mostMillis: 5_000,
    mostMegabytes: 96,
    isKept: true
  })
