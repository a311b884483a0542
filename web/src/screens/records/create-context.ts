import { createContext, useContext } from 'react'

/** Starts a new record in the list; undefined without the permission to create. */
export const CreateContext = createContext<(() => void) | undefined>(undefined)

export function useCreate(): (() => void) | undefined {
  return useContext(CreateContext)
}
