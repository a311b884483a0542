/** What a surface says, before it is put on the wire. */
export type Answer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
  /** What went wrong inside, for the log alone. */
  bug?: string
}
