/**
 * One message for ids that are malformed, unknown, deleted or of another workspace: callers must not see a difference.
 */
export function notOne(key: string, to: string): string {
  return to === 'users'
    ? `The ${key} must be the ID of a member of this workspace.`
    : `The ${key} must be the ID of an existing record in ${to}.`
}
