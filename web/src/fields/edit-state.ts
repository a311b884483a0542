import { createContext } from 'react'

/** What an editor says about its value: why the service refused it, and whether it is saved. */
export const EditState = createContext<{ problem?: string | undefined; status?: string | undefined }>({})
