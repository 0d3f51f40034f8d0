/** A notebook that a credential reaches, with those below it or without. */
export interface NotebookGrant {
  readonly id: string
  readonly access: "read" | "write"
  readonly include_subnotebooks: boolean
}

/** The notebooks that a limited credential reaches (contract 4, Limited credentials). All else does not exist for it. */
export type Reach = ReadonlyArray<NotebookGrant>
