import type { Extension, StateCommand } from "@codemirror/state"
import { EditorView, type Panel, showPanel } from "@codemirror/view"
import { choose, chosen } from "../DeviceSettings.ts"
import { keyName } from "../Keys.ts"
import { sharedIcons } from "../ui/icons/SharedIcons.ts"
import { texts } from "./EditorMessages.ts"
import { editLink, toggleBold, toggleCode, toggleItalic, toggleStrikethrough } from "./Formatting.ts"
import { indent, outdent } from "./Indenting.ts"
import { cycleHeading, toggleList } from "./LineKinds.ts"

/** A button: its name, its icon in a square of 24, and what it does. */
type Tool = readonly [name: string, path: string, command: StateCommand]

const { bold, bullets, code, heading, hide, italic, link, numbers, show, struck, tasks, ...names } = texts.formatting

/** A name with its combination of keys, as the system writes it. */
const withKey = (name: string, key: string): string => `${name} (${keyName(key)})`

const tools: ReadonlyArray<Tool> = [
  [heading, "M6 5v14M18 5v14M6 12h12", cycleHeading],
  [withKey(bold, "Ctrl-B"), "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z", toggleBold],
  [withKey(italic, "Ctrl-I"), "M10 5h7M7 19h7M14 5l-4 14", toggleItalic],
  [
    withKey(struck, "Ctrl-Shift-X"),
    "M4 12h16M16.5 8c-1-4-9-4-9 0q0 2 4 4M7.5 16c1 4 9 4 9 0q0-1.5-1.5-2.5",
    toggleStrikethrough
  ],
  [code, "M9 7l-5 5 5 5M15 7l5 5-5 5", toggleCode],
  [link, "M10 14l4-4M9 11l-3 3a3.5 3.5 0 0 0 5 5l3-3M15 13l3-3a3.5 3.5 0 0 0-5-5l-3 3", editLink],
  [withKey(bullets, "Ctrl-Shift-8"), "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01", toggleList("bullet")],
  [withKey(numbers, "Ctrl-Shift-7"), "M10 6h10M10 12h10M10 18h10M4 5l1.5-1v5M4 15c2-2 4 0 0 4h3", toggleList("number")],
  [withKey(tasks, "Ctrl-Shift-9"), "M4 5h5v5H4zM4 16l2 2 4-4M13 7.5h7M13 16.5h7", toggleList("task")],
  [names.outdent, "M20 6H4M20 12h-8M20 18H4M8 9.5l-3 2.5 3 2.5", outdent],
  [names.indent, "M20 6H4M20 12h-8M20 18H4M5 9.5l3 2.5-3 2.5", indent]
]

/** The name of the choice of this device that the bar is hidden. */
const choice = "hidden formatting"

const iconOf = (path: string): SVGElement => {
  const space = "http://www.w3.org/2000/svg"
  const icon = document.createElementNS(space, "svg")
  icon.setAttribute("class", "icon")
  icon.setAttribute("viewBox", "0 0 24 24")
  icon.ariaHidden = "true"
  const line = document.createElementNS(space, "path")
  line.setAttribute("d", path)
  icon.append(line)
  return icon
}

const buttonOf = (name: string, path: string, run: () => void): HTMLButtonElement => {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "icon-button"
  button.title = button.ariaLabel = name
  button.append(iconOf(path))
  // The text keeps the focus and its selection, and a phone its keyboard.
  button.addEventListener("mousedown", (event) => event.preventDefault())
  button.addEventListener("click", run)
  return button
}

/** Keeps an element above the keyboard of a phone, which covers the window without making it smaller. */
const aboveKeyboard = (element: HTMLElement): (() => void) => {
  const { visualViewport: shown } = window
  const fit = () => {
    const covered = shown === null ? 0 : Math.max(0, innerHeight - shown.height - shown.offsetTop)
    element.style.setProperty("--covered", `${covered}px`)
  }
  fit()
  const events = ["resize", "scroll"] as const
  for (const event of events) shown?.addEventListener(event, fit)
  return () => {
    for (const event of events) shown?.removeEventListener(event, fit)
  }
}

/** The bar above a text, a toolbar of one stop of Tab: arrow keys move in it. */
const barOf = (view: EditorView, attach: { readonly label: string; readonly run: () => void }): Panel => {
  const dom = document.createElement("div")
  dom.className = "cm-formatting"
  dom.role = "toolbar"
  dom.ariaLabel = names.name
  const formatting = tools.map(([name, path, command]) =>
    buttonOf(name, path, () => {
      command(view)
      view.focus()
    })
  )
  const toggle = buttonOf("", "M6 15l6-6 6 6", () => {
    choose(choice, !dom.classList.contains("is-hidden"))
    fit()
  })
  const fit = () => {
    const isHidden = chosen(choice) === true
    dom.classList.toggle("is-hidden", isHidden)
    for (const button of formatting) button.hidden = isHidden
    toggle.title = toggle.ariaLabel = isHidden ? show : hide
    toggle.ariaExpanded = String(!isHidden)
  }
  const buttons = [...formatting, buttonOf(attach.label, sharedIcons.paperclip, attach.run), toggle]
  const stopAt = (stop: HTMLButtonElement) => {
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1
  }
  dom.addEventListener("focusin", ({ target }) => stopAt(buttons.find((each) => each === target) ?? toggle))
  dom.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -buttons.length, End: buttons.length }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const shown = buttons.filter(({ hidden }) => !hidden)
    const at = shown.findIndex((each) => each === document.activeElement)
    shown[Math.max(0, Math.min(shown.length - 1, at + step))]!.focus()
  })
  dom.append(...buttons)
  fit()
  stopAt(toggle)
  const release = aboveKeyboard(dom)
  return { dom, top: true, destroy: release }
}

/** Keeps the panels of an editor below the bar of the note, which may have several lines. */
const belowHeader = (editor: HTMLElement, header: HTMLElement): (() => void) => {
  const observer = new ResizeObserver(() => editor.style.setProperty("--header", `${header.offsetHeight}px`))
  observer.observe(header)
  return () => observer.disconnect()
}

/** The height that the bar of a phone and its keyboard take from the text. The panels at the top count by themselves. */
const marginsOf = ({ dom }: EditorView): { readonly bottom: number } | null => {
  const bar = dom.querySelector<HTMLElement>(".cm-formatting")
  if (bar === null || getComputedStyle(bar).position !== "fixed") return null
  return { bottom: innerHeight - bar.getBoundingClientRect().top }
}

/**
 * A bar with the formats of the text, which this device may hide. `attach` is there in any case. `parent` is the place of
 * the editor in its note.
 */
export const formattingBar = (
  parent: HTMLElement,
  attach: { readonly label: string; readonly run: () => void }
): Extension => {
  const header = parent.closest(".note")?.querySelector<HTMLElement>(":scope > .bar")
  return [
    showPanel.of((view) => {
      const panel = barOf(view, attach)
      const release = header == null ? undefined : belowHeader(view.dom, header)
      return {
        ...panel,
        destroy: () => {
          release?.()
          panel.destroy?.()
        }
      }
    }),
    EditorView.scrollMargins.of(marginsOf)
  ]
}
