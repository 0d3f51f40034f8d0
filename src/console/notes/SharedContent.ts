import { createStore } from "idb-keyval"

/** What another app has shared with the console. The service worker stores it. */
export interface SharedContent {
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: ReadonlyArray<File>
}

/** The database and the key of what is shared, for the service worker too. */
export const sharedStore = () => createStore("sheaf-console-shared", "shared")
export const sharedKey = "latest"
