/** Hints of the protocol that clients show to users before a tool runs. */
export type Annotations = {
  readOnlyHint: boolean
  /** Whether it may change or delete existing data. */
  destructiveHint: boolean
  /** Whether repeating the call has no further effect. */
  idempotentHint: boolean
  /** Whether it reaches beyond the workspace. */
  openWorldHint: false
}

export const reads: Annotations = annotated({ readOnlyHint: true, idempotentHint: true })
export const adds: Annotations = annotated({})
export const overwrites: Annotations = annotated({ destructiveHint: true, idempotentHint: true })
export const restores: Annotations = annotated({ idempotentHint: true })
export const merges: Annotations = annotated({ destructiveHint: true })

function annotated(hints: Partial<Annotations>): Annotations {
  return { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false, ...hints }
}
