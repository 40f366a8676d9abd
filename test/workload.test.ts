import { describe, expect, test } from 'vitest';
import { attends, createPopulation } from '../scripts/workload/population.ts';
import { seededRandom, zipf } from '../scripts/workload/random.ts';
import { median, quantile, ratioOf } from '../scripts/workload/statistics.ts';

describe('population', () => {
  const options = { clubs: 100, seed: 1, base: Date.UTC(2026, 0, 1) };
  const population = createPopulation(options);
  const { clubs, people } = population;
  const sizes = clubs.map(({ members }) => members.length);

  test('the same seed makes the same population, another seed another one', () => {
    expect(createPopulation(options)).toEqual(population);
    expect(createPopulation({ ...options, seed: 2 }).clubs).not.toEqual(clubs);
  });

  test('a median club has about 30 members, the largest twice as many as there are clubs', () => {
    expect(median(sizes)).toBeGreaterThan(22);
    expect(median(sizes)).toBeLessThan(40);
    expect(Math.max(...sizes)).toBe(200);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(3);
  });

  test('everybody is in one to four clubs, in none of them twice', () => {
    const counts = new Map<number, number>();
    for (const { members } of clubs) {
      expect(new Set(members).size).toBe(members.length);
      for (const person of members) counts.set(person, (counts.get(person) ?? 0) + 1);
    }
    expect(counts.size).toBe(people);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(4);
  });

  test('about a third of the members attend an event, and its host does', () => {
    const events = clubs.flatMap(({ events, members }) => events.map((event) => ({ event, members })));
    const shares = events.map(
      ({ event, members }) => members.filter((person) => attends(event, person)).length / members.length,
    );
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeCloseTo(0.35, 1);
    expect(events.every(({ event }) => attends(event, event.host))).toBe(true);
  });
});

test('zipf: the first rank is drawn twice as often as the second and ten times as often as the tenth', () => {
  const [draw, random] = [zipf(1000), seededRandom(1)];
  const ranks = Array.from({ length: 100_000 }, () => draw(random));
  const [first, second, tenth] = [0, 1, 9].map((rank) => ranks.filter((one) => one === rank).length) as [
    number,
    number,
    number,
  ];
  expect(first / second).toBeCloseTo(2, 0);
  expect(first / tenth).toBeGreaterThan(8.5);
  expect(first / tenth).toBeLessThan(11.5);
});

test('median and quantile of unsorted values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(quantile([5, 1, 4, 2, 3], 0.95)).toBe(5);
});

test('ratio: each round is compared with the same round only', () => {
  expect(ratioOf([10, 200, 33], [10, 100, 30])).toEqual({ median: 1.1, min: 1, max: 2 });
});
