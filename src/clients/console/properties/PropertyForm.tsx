import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { frontMatterBlockOf } from "../../../../services/markdown/FrontMatterBlock.ts"
import { type PropertyEdit, withProperties } from "../../../../services/notes/texts/FrontMatterEdit.ts"
import { fieldsOf, type PropertyField } from "../../../../services/notes/texts/FrontMatterFields.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { isWithControl } from "../Keys.ts"
import { texts as all } from "../Messages.ts"
import { IconButton } from "../ui/Button.tsx"
import { notify } from "../ui/Notices.tsx"
import { useReading } from "../ui/useReading.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { addingTo } from "./AddedProperty.ts"
import { NewProperty } from "./NewProperty.tsx"
import { PropertyInput, type PropertyKind } from "./PropertyInput.tsx"
import { propertyTexts as texts } from "./PropertyMessages.ts"
import { readPropertyNames } from "./PropertyNames.ts"

/** The editor of the text, which shows the front matter or leaves it to the form. */
interface SourceEditor {
  readonly isShown: boolean
  readonly cover: (isCovered: boolean) => void
  readonly show: () => void
  readonly undo: (isRedo: boolean) => void
}

export interface PropertyFormProps {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
  /** Undefined while the note is read. */
  readonly source?: SourceEditor
  /** Replaces the text. `isTyping`: more of the same change follows. */
  readonly onText: (body: string, isTyping: boolean) => void
}

/** A change of a note that is read. */
interface Step {
  readonly before: string
  readonly after: string
  /** What was typed in, if more may follow. */
  readonly typedIn: string | undefined
}

/** Maximum number of changes that can be taken back while the note is read. */
const maxSteps = 100

/** A value that only the source can change, or of a note that the user may not change. */
const Shown = ({ field }: { readonly field: PropertyField }) =>
  field.kind === "boolean" ? (
    <input type="checkbox" aria-label={field.name} checked={field.value} disabled />
  ) : (
    <span class="property-shown" dir="auto">
      {field.kind === "list" ? field.value.join(", ") : field.kind === "empty" ? "" : field.value}
    </span>
  )

/**
 * The properties of a note as a form. A change of it changes one property in the text, by the function by which the server
 * does, and the text is saved and merged as one that is typed. Nothing is shown of front matter that cannot be read.
 */
export const PropertyForm = ({ draft, onText, source, store }: PropertyFormProps) => {
  const section = useRef<HTMLElement>(null)
  const steps = useRef<ReadonlyArray<Step>>([])
  /** The kinds that were chosen for properties without a value. */
  const [kinds, setKinds] = useState<ReadonlyMap<string, PropertyKind>>(new Map())
  /** The property, or with an empty name the button, that gets the focus. */
  const [focused, setFocused] = useState<{ readonly name: string }>()
  const { body } = draft.content.value
  const block = frontMatterBlockOf(body)
  const head = body.slice(0, block?.end ?? 0)
  const fields = useMemo(
    () => (block === undefined ? [] : block.language === "yaml" ? fieldsOf(block.content) : undefined),
    [head]
  )
  const isSafe = useMemo(() => {
    const unused = `_${(fields ?? []).map(({ name }) => name).join("")}`
    return fields !== undefined && withProperties(head, { set: { [unused]: "" } }) !== undefined
  }, [head])
  const isLocked = !isSafe || !store.canWrite.value
  const isAdding = addingTo.value === draft && !isLocked
  const hasEmpty = fields?.some(({ kind, ...field }) => kind === "empty" || ("value" in field && field.value === ""))
  const needsNames = !isLocked && (isAdding || hasEmpty === true)
  const names = useReading(async () => (needsNames ? readPropertyNames(store.client) : []), [needsNames]).value ?? []
  const isForm = fields !== undefined && (source === undefined || !isLocked)
  useEffect(() => source?.cover(isForm), [isForm, source === undefined])
  useEffect(() => {
    if (focused === undefined) return
    const { name } = focused
    const place = name === "" ? ".property-add" : `[data-name="${CSS.escape(name)}"] :is(input, textarea)`
    section.current?.querySelector<HTMLElement>(place)?.focus()
  }, [focused])
  useEffect(
    () => () => {
      if (addingTo.value === draft) addingTo.value = undefined
    },
    [draft]
  )
  if (!isForm || source?.isShown === true) return null
  const change = (edit: PropertyEdit, typedIn?: string): boolean => {
    const before = draft.content.value.body
    const after = withProperties(before, edit)
    if (after === undefined) {
      notify(texts.fixed, undefined, "property")
      return false
    }
    if (after === before) return true
    const last = steps.current.at(-1)
    const isMore = typedIn !== undefined && last?.typedIn === typedIn && last.after === before
    const step = { before: isMore ? last.before : before, after, typedIn }
    steps.current = [...steps.current.slice(0, isMore ? -1 : undefined), step].slice(-maxSteps)
    onText(after, typedIn !== undefined)
    return true
  }
  const undo = () => {
    const last = steps.current.at(-1)
    steps.current = steps.current.slice(0, -1)
    // What others have changed since is not taken back.
    if (last?.after === draft.content.value.body) onText(last.before, false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isRedo = isWithControl(event, "y")
    const isOwn = (event.target as Element).closest(".property-new, .tag-input") !== null
    if (isOwn || !(isRedo || isWithControl(event, "z"))) return
    event.preventDefault()
    if (source !== undefined) source.undo(isRedo)
    else if (!isRedo) undo()
  }
  const add = (name: string, kind: PropertyKind) => {
    const isNew = fields.every((field) => field.name !== name)
    const value = kind === "list" ? [] : kind === "boolean" ? false : ""
    if (isNew && !change({ set: { [name]: value } })) return
    if (isNew) setKinds(new Map([...kinds, [name, kind]]))
    addingTo.value = undefined
    setFocused({ name })
  }
  const kindOf = (field: PropertyField): PropertyKind | undefined => {
    if (field.kind === "other") return undefined
    if (field.kind !== "empty" && !(field.kind === "text" && field.value === "")) return field.kind
    return kinds.get(field.name) ?? names.find(({ name }) => name === field.name)?.types[0] ?? "text"
  }
  return (
    <section ref={section} class="properties" aria-label={texts.title} onKeyDown={onKeyDown}>
      <dl>
        {fields.map((field) => {
          const { name } = field
          const kind = isLocked ? undefined : kindOf(field)
          return (
            <div key={name} data-name={name}>
              <dt dir="auto">{name}</dt>
              <dd>
                {kind === undefined ? (
                  <Shown field={field} />
                ) : (
                  <PropertyInput
                    key={kind}
                    name={name}
                    kind={kind}
                    value={field.kind === "empty" ? "" : field.value}
                    onValue={(value, isTyping) => change({ set: { [name]: value } }, isTyping ? name : undefined)}
                  />
                )}
                {!isLocked && (
                  <IconButton
                    icon="close"
                    label={all.note.removeTag(name)}
                    onClick={() => change({ remove: [name] }) && setFocused({ name: "" })}
                  />
                )}
              </dd>
            </div>
          )
        })}
      </dl>
      {isAdding ? (
        <NewProperty
          names={names}
          onAdd={add}
          onClose={() => {
            addingTo.value = undefined
            setFocused({ name: "" })
          }}
        />
      ) : (
        !isLocked && (
          <p>
            <button type="button" class="link property-add" onClick={() => (addingTo.value = draft)}>
              {texts.add}
            </button>
            {source !== undefined && head !== "" && (
              <button type="button" class="link" onClick={source.show}>
                {texts.source}
              </button>
            )}
          </p>
        )
      )}
      {!isSafe && store.canWrite.value && <p class="hint">{texts.fixed}</p>}
    </section>
  )
}
