import "../SharedParts.ts"
import { importTexts } from "../imports/ImportTexts.ts"
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { ImportPane } from "../imports/ImportPane.tsx"
import type { ImportRun } from "../imports/ImportRun.ts"
import { texts as common } from "../Messages.ts"
import { openPage, openStart, startAddress, type StartStep } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { focusHeading } from "../ui/focusHeading.ts"
import { PasswordRequest } from "../ui/PasswordRequest.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { Section } from "../ui/Section.tsx"
import { ConnectStep } from "./ConnectStep.tsx"
import { texts } from "./StartMessages.ts"
import "../style/OnDemandStyle.ts"

interface StartProps {
  readonly store: WorkspaceStore
  readonly step: StartStep
  /** Why no changes come, if so. */
  readonly connection: ComponentChildren
  /** Begins a note. */
  readonly onWrite: () => void
  /** Shows the notes. */
  readonly onClose: () => void
}

/** The first steps of a new account: its notes, and then clients. Each has an address, and can be left out. */
export const Start = ({ connection, onClose, onWrite, store, step }: StartProps) => {
  /** The import outlives its step. */
  const current = useSignal<ImportRun | undefined>(undefined)
  const isFirst = useRef(true)
  const { lead, title } = texts.steps[step]
  useEffect(() => {
    document.title = `${title} · ${common.name}`
    if (!isFirst.current) focusHeading()
    isFirst.current = false
  }, [step])
  const run = current.value
  const isImported = run?.state.value.kind === "ended"
  return (
    <main>
      <div class={`settings-page ${step === "import" ? "centred" : ""}`}>
        {connection}
        <nav aria-label={texts.navigation}>
          <ol class="steps">
            <li>
              {texts.account} ({texts.isDone})
            </li>
            {(["import", "connect"] as const).map((each) => (
              <li key={each}>
                <a href={startAddress(each)} aria-current={each === step ? "step" : undefined}>
                  {texts.steps[each].name}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div class="part">
          <h1 tabIndex={-1}>{title}</h1>
          <p class="hint">{lead}</p>
        </div>
        {step === "connect" ? (
          <ConnectStep store={store} />
        ) : (
          <Section title={importTexts.title}>
            <div class="form">
              <ImportPane isBrief store={store} current={current} onShow={() => openPage("settings", "transfers")} />
            </div>
          </Section>
        )}
        <p class="actions start">
          {store.hasNotes.value ? (
            <Button kind={isImported ? "main" : "plain"} onClick={onClose}>
              {texts.toNotes}
            </Button>
          ) : (
            <Button onClick={onWrite}>{texts.write}</Button>
          )}
          {step === "import" && <Button onClick={() => openStart("connect")}>{texts.connect}</Button>}
        </p>
      </div>
      <PasswordRequest client={store.client} />
    </main>
  )
}
