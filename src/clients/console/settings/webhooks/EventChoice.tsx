import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Check } from "../../ui/Field.tsx"
import { texts } from "../SettingsMessages.ts"

type EventType = Exclude<Schemas["EventType"], "ping">
type Resource = EventType extends `${infer Name}.${string}` ? Name : never
type ActionOf<Name extends Resource> = EventType extends infer Type
  ? Type extends `${Name}.${infer Action}`
    ? Action
    : never
  : never

/** The events of each resource. */
const events: { readonly [Name in Resource]: ReadonlyArray<ActionOf<Name>> } = {
  note: ["created", "updated", "archived", "restored", "deleted", "purged", "version_deleted"],
  notebook: ["created", "updated", "moved", "deleted"],
  tag: ["created", "updated", "deleted", "merged"],
  attachment: ["created", "ready", "updated", "deleted"],
  template: ["created", "updated", "deleted", "applied"],
  comment: ["created", "updated", "resolved", "deleted"],
  reminder: ["created", "updated", "fired", "deleted"],
  share: ["created", "updated", "deleted"],
  export: ["ready", "failed"],
  import: ["done", "failed"],
  invitation: ["created", "resent", "accepted", "deleted"],
  member: ["added", "role_changed", "removed"],
  workspace: ["created", "updated", "deleted"],
  api_key: ["created", "updated", "rotated", "deleted"],
  session: ["created", "revoked"],
  device: ["registered", "revoked"],
  webhook: ["created", "updated", "deleted", "disabled"],
  sync: ["conflict"]
}

interface EventChoiceProps {
  /** Patterns: types of events, `note.*` for all of a resource, `*` for all. */
  readonly value: ReadonlyArray<string>
  readonly onValue: (value: ReadonlyArray<string>) => void
  readonly error: string | undefined
}

/** The events that a webhook receives. */
export const EventChoice = ({ error, onValue, value }: EventChoiceProps) => {
  const check = (pattern: string) => (isChecked: boolean) =>
    onValue(isChecked ? [...value, pattern] : value.filter((each) => each !== pattern))
  // A group stays open while the last event in it is unchecked.
  const [first] = useState(value)
  const isAll = value.includes("*")
  return (
    <fieldset class="checks single">
      <legend>{texts.webhooks.events}</legend>
      <Check isChecked={isAll} onCheck={check("*")}>
        {texts.webhooks.all}
      </Check>
      {!isAll &&
        Object.entries(events).map(([resource, actions]) => {
          const whole = value.includes(`${resource}.*`)
          return (
            <details key={resource} open={first.some((each) => each.startsWith(`${resource}.`))}>
              <summary>{texts.webhooks.single(resource)}</summary>
              {actions.length > 1 && (
                <Check isChecked={whole} onCheck={check(`${resource}.*`)}>
                  {texts.webhooks.allOf(resource)}
                </Check>
              )}
              {actions.map((action) => (
                <Check
                  key={action}
                  isChecked={whole || value.includes(`${resource}.${action}`)}
                  isDisabled={whole}
                  onCheck={check(`${resource}.${action}`)}
                >
                  {`${resource}.${action}`}
                </Check>
              ))}
            </details>
          )
        })}
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
