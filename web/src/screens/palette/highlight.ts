import { type KeyboardEvent, useEffect, useState } from 'react'

type Highlight = {
  id: string
  /** Whether the user has chosen it in the list that is shown now. */
  moved: boolean
  move(id: string): void
}

/** The highlighted item of a list: the first, until the user moves it. Every other list begins at its first again. */
export function useHighlight(ids: readonly string[]): Highlight {
  const list = ids.join()
  const [first = ''] = ids
  const [chosen, setChosen] = useState({ list, id: first })
  const id = chosen.list === list ? chosen.id : first
  return { id, moved: id !== first, move: (id) => setChosen({ list, id }) }
}

type Entered = {
  text: string
  /** The list does not belong to the text yet. */
  stale: boolean
  /** Opens the first item. */
  run(): void
}

/** Enter opens what the typed text finds: while an earlier list is still shown, it waits for the right one. */
export function useEnter({ text, stale, run }: Entered): (event: KeyboardEvent) => void {
  const [waitingFor, setWaitingFor] = useState<string>()
  useEffect(() => {
    if (waitingFor === undefined || (stale && waitingFor === text)) return
    setWaitingFor(undefined)
    if (waitingFor === text) run()
  })
  return (event) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !stale) return
    event.preventDefault()
    setWaitingFor(text)
  }
}
