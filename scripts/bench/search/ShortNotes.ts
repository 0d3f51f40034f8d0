import { notesOf } from "./Corpora.ts"
import { numbers } from "./Quality.ts"

/** A note in the form of a push. */
export interface ShortNote {
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
}

const SIZE = 1_000
/** Maximum characters of a title. */
const TITLE = 200
/** One word in 10 of a copy comes from another note. */
const EXCHANGED = 10
/** One copy in 3 contains a new word. */
const RENEWED = 3

/** Splits a text into parts of about 1 KB; the rest becomes a note if it has at least half of that. */
const windowsOf = (text: string): Array<string> => {
  const windows: Array<string> = []
  let window = ""
  for (const paragraph of text.split("\n\n")) {
    for (let from = 0; from < paragraph.length; from += SIZE) window += `${paragraph.slice(from, from + SIZE)}\n\n`
    while (window.length >= SIZE) {
      windows.push(window.slice(0, SIZE))
      window = window.slice(SIZE)
    }
  }
  return window.length >= SIZE / 2 ? [...windows, window] : windows
}

/**
 * An endless sequence of notes of about 1 KB: first the paragraphs of notes14k, then copies of them. In a copy every
 * tenth word comes from another note, and in every third copy one of these is two words joined: as in real text, 10
 * times as many notes have about 4 times as many distinct words.
 */
export function* shortNotes(): Generator<ShortNote, never> {
  const originals = notesOf("notes14k").flatMap(({ body, tags, title }) =>
    windowsOf(body).map((text): ShortNote => ({ title: title.slice(0, TITLE) || "Untitled", body: text, tags }))
  )
  const next = numbers(11)
  // Adjacent notes are from different pages.
  for (let at = originals.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[originals[at], originals[other]] = [originals[other]!, originals[at]!]
  }
  yield* originals
  const words = originals.flatMap(({ body }) => body.match(/[A-Za-z]{3,}/g)?.slice(0, 20) ?? [])
  const word = () => words[Math.floor(next() * words.length)]!
  while (true) {
    for (const { body, tags, title } of originals) {
      let place = Math.floor(next() * EXCHANGED)
      let renewed = Math.floor(next() * RENEWED) === 0 ? word() + word() : undefined
      const copy = body.replaceAll(/[A-Za-z]{3,}/g, (own) => {
        if (++place % EXCHANGED !== 0) return own
        const other = renewed ?? word()
        renewed = undefined
        return other
      })
      yield { title: `${title} ${word()}`.slice(0, TITLE), body: copy, tags }
    }
  }
}
