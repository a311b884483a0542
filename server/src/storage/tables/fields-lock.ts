/** The name under which whoever changes the fields of a workspace keeps out those who write its records. */
export function fieldsLock(workspaceId: string): string {
  return `fields ${workspaceId}`
}
