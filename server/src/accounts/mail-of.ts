import type { Mail } from '../calls/answer.ts'

/** A mail of these paragraphs. */
export function mailOf(to: string, subject: string, paragraphs: readonly string[]): Mail {
  return { to, subject, text: paragraphs.join('\n\n') }
}
