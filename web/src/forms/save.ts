import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { showToast } from '../components/toast-store.ts'

/** The steps after a change that the service has stored. */
type Sequel<Result, Input> = {
  /** The keys of queries that are loaded again. */
  reload?: readonly QueryKey[]
  next?(result: Result, input: Input): unknown
  /** Told in a toast. */
  message?: string | ((result: Result, input: Input) => string | undefined)
}

/** Saves a form. Its failure is shown by the form, which stays as it is. */
export function useSave<Result, Input = void>(
  save: (input: Input) => Promise<Result>,
  sequel: Sequel<Result, Input> = {},
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: save,
    onSuccess: async (result, input) => {
      await reloadAll(queries, sequel.reload)
      await sequel.next?.(result, input)
      tell(sequel, result, input)
    },
  })
}

/** Runs the action of a button. A failure is told in a toast, and the queries are loaded again then as well. */
export function useAction<Result, Input = void>(
  act: (input: Input) => Promise<Result>,
  sequel: Sequel<Result, Input> = {},
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: async (result, input) => {
      tell(sequel, result, input)
      await sequel.next?.(result, input)
    },
    onError: tellFailure,
    onSettled: () => reloadAll(queries, sequel.reload),
  })
}

export function tellFailure({ message }: Error): void {
  showToast({ tone: 'danger', message })
}

async function reloadAll(queries: QueryClient, keys: readonly QueryKey[] = []): Promise<void> {
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
}

function tell<Result, Input>({ message }: Sequel<Result, Input>, result: Result, input: Input): void {
  const told = typeof message === 'function' ? message(result, input) : message
  if (told !== undefined) showToast({ message: told })
}
