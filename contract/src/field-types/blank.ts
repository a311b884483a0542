/** Whether a caller says that a value is empty: null, or text without anything to see. */
export function isBlank(raw: unknown): boolean {
  return raw === null || (typeof raw === 'string' && raw.trim() === '')
}
