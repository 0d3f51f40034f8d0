import { EditorView } from "@codemirror/view"

/** Shows a line of the text that is on the page, with the cursor in it. */
export const showLine = (line: number): void => {
  const view = EditorView.findFromDOM(document.querySelector<HTMLElement>(".editor")!)
  if (view === null) return
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 72 }) })
  view.focus()
}
