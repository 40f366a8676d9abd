import { session } from './session.ts';

/** Answers that are on their way to whoever will ask for them, each for one asking, and for who it was asked for. */
const begun = new Map<string, { authorization: string; answer: Promise<Response> }>();

/** What the first screen reads, by its path. */
function callsOf(path: string): string[] {
  if (!path.startsWith('/app')) return [];
  const [, noun, name] = /^\/app\/(clubs|events)\/([^/]+)\/?$/.exec(path) ?? [];
  if (noun) return ['users', `${noun}/${name}`];
  return /^\/app\/?$/.test(path) ? ['users', 'users/events', 'users/clubs/events'] : ['users'];
}

/** Asks for what the screen will show while most of its script is still on its way. */
export function askAhead(path: string): void {
  const token = session.read()?.AccessToken.Token;
  if (!token) return;
  for (const call of callsOf(path)) {
    const url = `/api/v1/${call}`;
    const authorization = `Bearer ${token}`;
    const answer = fetch(url, { headers: { authorization } });
    // Told to whoever takes it.
    answer.catch(() => {});
    begun.set(url, { authorization, answer });
  }
}

/** As `fetch`, with the answer that is on its way already, if there is one. */
export const fetchAhead: typeof fetch = (input, init) => {
  const ahead = begun.get(String(input));
  begun.delete(String(input));
  const isTheirs = ahead?.authorization === new Headers(init?.headers).get('authorization');
  return ahead && isTheirs ? ahead.answer : fetch(input, init);
};

/** Whatever nobody has asked for by now would be old when they do. */
export const forgetAhead = (): void => begun.clear();
