import { createCollection } from "@tanstack/db"
import { createClient } from "sheaf/client"
import { memoryStore, newId, openSync } from "sheaf/sync"
import { sheafCollectionOptions } from "sheaf/tanstack"

const names = ["state", "problem", "sign-in", "app", "create", "sign-out", "search", "list", "editor", "title", "body"]
const elements = [...names, "trash", "refused"].map((id) => document.getElementById(id))
const [state, problem, signIn, app, create, signOut, search, list, editor, title, body, trash, refused] = elements

/** The user of this tab. If another user signs in in another tab, this one is signed out. */
let user
const stored = () => JSON.parse(localStorage.getItem("session") ?? "null") ?? undefined
const session = {
  read: () => (user === undefined || stored()?.user.id === user ? stored() : undefined),
  write: (value) =>
    value === undefined ? localStorage.removeItem("session") : localStorage.setItem("session", JSON.stringify(value))
}

const report = (error) => {
  problem.textContent = error.problem?.detail ?? error.message
}

const button = (text, action) => {
  const element = document.createElement("button")
  element.textContent = text
  element.onclick = () => Promise.resolve(action()).catch(report)
  return element
}

const item = (...content) => {
  const element = document.createElement("li")
  element.append(...content)
  return element
}

/** Replaces the part of a text that differs, so that the cursor stays where it is. */
const replace = (field, text) => {
  const { value } = field
  let [start, end] = [0, 0]
  while (start < Math.min(value.length, text.length) && value[start] === text[start]) start++
  const most = Math.min(value.length, text.length) - start
  while (end < most && value.at(-1 - end) === text.at(-1 - end)) end++
  field.setRangeText(text.slice(start, text.length - end), start, value.length - end, "preserve")
}

/** Shows the notes of the signed-in user, and returns the engine that keeps them. */
const start = async (client) => {
  user = stored().user.id
  const engine = await openSync({ client, store: memoryStore(), types: ["note"], device: { name: "Notes list" } })
  const notes = createCollection(sheafCollectionOptions({ engine, type: "note" }))
  /** The id of the note in the editor, and the note as the user sees it there. */
  let selected, shown
  /** Whether an input method is composing a word, which a change of the text would interrupt. */
  let isComposing = false

  const showList = () => {
    const found = notes.toArray
      .filter(({ title }) => title?.toLowerCase().includes(search.value.toLowerCase()))
      .sort((one, other) => one.title.localeCompare(other.title))
    const focused = document.activeElement?.dataset.id
    list.replaceChildren(
      ...found.map(({ id, title }) => {
        const element = button(title || "Untitled", () => select(id))
        element.dataset.id = id
        element.ariaCurrent = String(id === selected)
        return item(element)
      })
    )
    if (focused !== undefined) list.querySelector(`[data-id="${focused}"]`)?.focus()
  }

  const showEditor = () => {
    if (isComposing) return
    const note = notes.get(selected)
    editor.hidden = note === undefined
    if (note !== undefined) for (const field of [title, body]) replace(field, note[field.id] ?? "")
    shown = note
  }

  const select = (id) => {
    selected = id
    showList()
    showEditor()
    title.focus()
  }

  const isUnsaved = () => engine.state.waiting + engine.refused.length > 0

  const showState = () => {
    const { error, isWhole, status, waiting } = engine.state
    const text = `${{ synced: "Connected", syncing: "Syncing", offline: "Offline" }[status]}. Changes waiting: ${waiting}`
    if (state.textContent !== text) state.textContent = text
    problem.textContent = error?.problem?.detail ?? error?.message ?? ""
    create.disabled = !isWhole
    // Changes that wait are in memory: they end with the page.
    signOut.disabled = isUnsaved()
    signIn.hidden = error?.problem?.status !== 401
    refused.replaceChildren(
      ...engine.refused.map((each) =>
        item(
          `“${each.edit.data.title ?? engine.get(each.edit.id)?.title}” was refused: ${each.problem.detail} `,
          button("Try again", () => engine.retry(each)),
          button("Discard", () => engine.discard(each))
        )
      )
    )
  }

  for (const field of [title, body]) {
    // The engine merges what the user types with what has changed since the user saw the note.
    const edit = () => engine.edit("note", selected, { [field.id]: field.value }, shown).catch(report)
    field.oninput = () => isComposing || edit()
    field.oncompositionstart = () => {
      isComposing = true
    }
    field.oncompositionend = () => {
      isComposing = false
      edit()
    }
  }
  create.onclick = () => {
    const [inbox] = engine.all("notebook")
    const id = newId("nt_")
    notes.insert({ id, notebook_id: inbox.id, title: "New note" })
    search.value = ""
    select(id)
    title.select()
  }
  trash.onclick = () => {
    notes.delete(selected)
    create.focus()
  }
  search.oninput = showList
  signOut.onclick = async () => {
    await client.signOut()
    location.reload()
  }
  window.onbeforeunload = (event) => {
    if (isUnsaved()) event.preventDefault()
  }
  notes.subscribeChanges(() => {
    showList()
    showEditor()
  })
  engine.subscribe(showState)
  engine.start()
  // What waits belongs to this user.
  for (const field of [signIn.url, signIn.email]) field.readOnly = true
  signIn.email.value = stored().user.email
  app.hidden = false
  return engine
}

/** The engine repeats requests, and shows meanwhile that the server cannot be reached. */
const clientOf = (url) => createClient({ url, session, retries: 0 })
signIn.url.value = localStorage.getItem("url") ?? signIn.url.value
let engine = stored() === undefined ? undefined : await start(clientOf(signIn.url.value))
signIn.hidden = engine !== undefined
signIn.onsubmit = async (event) => {
  event.preventDefault()
  problem.textContent = ""
  const { email, password, url } = Object.fromEntries(new FormData(signIn))
  try {
    const client = clientOf(url)
    await client.signIn({ email, password })
    localStorage.setItem("url", url)
    signIn.password.value = ""
    if (engine === undefined) engine = await start(client)
    else engine.start()
    signIn.hidden = true
  } catch (error) {
    report(error)
  }
}
