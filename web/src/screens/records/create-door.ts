import { createContext, useContext } from 'react'

/** Begins a new record in the list; undefined for those who may only read. */
export const CreateDoor = createContext<(() => void) | undefined>(undefined)

export function useCreateDoor(): (() => void) | undefined {
  return useContext(CreateDoor)
}
