import { render } from "../../../../services/markdown/Render.ts"
import type { NoteText } from "../../../../services/markdown/Rendered.ts"

/** The members of a worker that are used, whose types conflict with those of a page. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<NoteText>) => void) | null
  readonly postMessage: (message: unknown) => void
}
declare const self: WorkerScope

/** The renderer of the server, in a worker of the page, for notes of the copy on this device. */
self.onmessage = ({ data }) => {
  try {
    self.postMessage(render(data))
  } catch {
    // Nested too deeply for the stack: there is no result.
    self.postMessage(null)
  }
}
