import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, onTestFinished, test } from 'vitest';
import { codeIn, world } from '#test/world.ts';

/** A program of another developer, with the types that `openapi-typescript` generates. */
const program = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

export async function useApi(baseUrl: string, email: string, readCode: () => Promise<string>) {
  const api = createClient<paths>({ baseUrl });
  await api.GET('/api/v1/auth/login', { params: { query: { email } } });
  const code = await readCode();
  const session = await api.GET('/api/v1/auth/confirm', { params: { query: { email, code } } });
  const headers = { authorization: 'Bearer ' + session.data?.data.AccessToken.Token };

  const created = await api.POST('/api/v1/clubs', { headers, body: { club_name: 'Harbour Rowers' } });
  const club = created.data?.data.slug ?? '';
  const page = await api.GET('/api/v1/clubs/{club}', { headers, params: { path: { club } } });
  const role: 0 | 100 | 200 | undefined = page.data?.data.my_club_role;

  const { error } = await api.PUT('/api/v1/clubs/{club}/leave', { headers, params: { path: { club } } });
  // @ts-expect-error -- nobody gets this code when they leave a club
  const isOther = error?.error === 'event_full';
  const isOnlyAdmin = error?.error === 'only_admin_left' && error.status === 400;
  return { role, isOther, isOnlyAdmin, message: error?.message };
}
`;

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
};

test('OpenAPI: a client generated from the served document compiles, creates a club, and knows the error codes of a refused call [OPENAPI-02]', async () => {
  await using w = await world();
  // Inside the project, so that the program finds the packages.
  await mkdir('dist', { recursive: true });
  const folder = await mkdtemp(join(process.cwd(), 'dist', 'api-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const document = await (await fetch(`${w.origin}/api/openapi.json`)).text();
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(document)));
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiled = await promisify(execFile)(process.execPath, ['node_modules/.bin/tsc', '-p', folder]).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  );
  expect(compiled.stdout).toBe('');

  const { useApi } = (await import(join(folder, 'program.ts'))) as {
    useApi(origin: string, email: string, readCode: () => Promise<string>): Promise<object>;
  };
  const email = 'developer@example.org';
  expect(await useApi(w.origin, email, async () => codeIn(await w.mail(email)))).toEqual({
    role: 200,
    isOther: false,
    isOnlyAdmin: true,
    message: "You're the only admin. Make someone else an admin first.",
  });
});
