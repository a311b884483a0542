import { createContext } from 'react'

type EditState = {
  /** Why the service refused the value, and whether it is saved. */
  problem?: string | undefined
  status?: string | undefined
  /** Changes when another tab has changed the value. */
  revision: number
}

/** What an open editor has to know about its value. */
export const EditState = createContext<EditState>({ revision: 0 })
