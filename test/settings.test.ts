import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { secretNames, settingNames } from '#platform/config.ts';

const textOf = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');

interface Compose {
  services: { muster: { env_file: string; environment: Record<string, string>; ports: string[] } };
}

test('settings: .env.example explains every setting, and no other one [OPER-12]', () => {
  const example = textOf('.env.example');
  const names = [...example.matchAll(/^#([A-Z\d_]+)=/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(settingNames.toSorted());
  const intro = example.split('\n# ---', 1)[0] as string;
  for (const name of secretNames) expect(intro).toContain(name);
});

test('settings: compose.yaml passes every setting of .env to the container, except those that the container decides [OPER-12]', () => {
  const { env_file, environment, ports } = (parse(textOf('compose.yaml')) as Compose).services.muster;
  expect(env_file).toBe('.env');
  // `environment` wins over `env_file`, so a value in it must come from the setting, or the setting would have no effect.
  const overridden = Object.entries(environment).filter(
    ([name, value]) => settingNames.includes(name) && !String(value).startsWith(`\${${name}:`),
  );
  expect(Object.fromEntries(overridden)).toEqual({ HOST: '0.0.0.0', PORT: 3000, DATA_DIR: '/data' });
  expect(Object.keys(environment).filter((name) => !settingNames.includes(name))).toEqual([]);
  // PORT of .env is the port on the machine.
  expect(ports).toEqual(['127.0.0.1:${PORT:-3000}:3000']);
});

test('systemd: the unit restarts the app after five seconds, without a limit [OPER-12]', () => {
  const unit = textOf('deploy/muster.service').split('\n');
  for (const line of ['Restart=always', 'RestartSec=5', 'StartLimitIntervalSec=0'])
    expect(unit).toContain(line);
});
