/** The host in a web address, which may be incomplete. */
export function hostStart(text: string): string {
  return /^(?:https?:\/\/)?(?:www\.)?([^/?#\s]*)/.exec(text)?.[1] ?? ''
}
