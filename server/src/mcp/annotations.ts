/** What clients may tell a person before they let a tool run, in the protocol's words. */
export type Annotations = {
  readOnlyHint: boolean
  /** Whether it may change or take away what was there, and does not only add. */
  destructiveHint: boolean
  /** Whether the same call once more changes nothing more. */
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
