// What the HIP and the OpenCL program share: from clocks to parameters, and the file of figures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "places.h"

// Card is what a program knows of its card and can do there.
struct Card {
    std::string name;
    double mhz;
    bool stacked; // memory is HBM
    int most;     // work-items of a work-group

    void open();
    // units runs the kernel of this name: t gets its clocks.
    void units(unsigned long long *t);
    // steps returns the clocks of steps in the ring of places that order gives, apart bytes from one another. If flush
    // is set, L2 has nothing of it before.
    double steps(const std::vector<unsigned> &order, unsigned apart, int before, int steps, bool flush);
    // launch returns the nanoseconds that work-groups of a size take, which do nothing.
    double launch(int groups, int size);
};

static const size_t ringBytes = 32 << 20, flushBytes = 12 << 20;

// step returns the clocks of a step in a ring of n places.
static double step(Card &card, unsigned n, unsigned apart, int before, bool flush) {
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    return card.steps(order, apart, before, 512, flush) / 512;
}

// clocks returns the clocks of a launch: the least of some, as what disturbs one makes it longer. The first one, which
// finds other things in the caches, does not count.
static double clocks(Card &card, int groups, int size) {
    card.launch(groups, size);
    double least = INFINITY;
    for (int i = 0; i < 4; i++)
        least = std::min(least, card.launch(groups, size));
    return least / 1000 * card.mhz;
}

static std::vector<std::pair<std::string, double>> found;

static void put(const char *name, double value, const char *unit) {
    found.push_back({name, value});
    printf("%-14s %8.1f %s\n", name, value, unit);
}

// measure puts all that can be measured.
static void measure(Card &card) {
    unsigned long long t[Slots];
    card.units(t);
    auto between = [&](int a, int b) { return (double)t[b] - (double)t[a]; };
    auto took = [&](int slot) { return between(slot, slot + 2); };          // of 12
    auto slope = [&](int slot) { return between(slot + 1, slot + 2) / 6; }; // of one

    double wait = 4; // of s_waitcnt itself
    put("ScalarLatency", slope(Scalar) - wait, "clocks");
    put("LDSLatency", slope(Lds) - wait - 2, "clocks");  // and 2 in the LDS
    put("AtomicSame", (slope(Same) - 4) / 62, "clocks"); // without others the LDS takes 4, and in each half 31 wait
    put("LDSBacklog", 11 * slope(Conflict) + 4 - took(Conflict), "clocks");
    // TA takes more clocks for one of these loads than the 8 to issue it.
    double texture = between(Loads24, Loads48) / 24;
    double backlog = 23 * texture + 8 - between(Loads0, Loads24);
    put("VMEMBacklog", backlog, "clocks");
    put("L1Queue", 10 * slope(Missing) + texture + 8 - backlog - took(Missing), "lines");
    put("StoreEighths", between(Stores60, Stores120) / 60 / 64 * 8, "1/8 clock a lane");

    double l1 = step(card, 128, 64, 128, false), l2 = step(card, 4096, 64, 4096, false);
    double dram = step(card, ringBytes / 4160, 4160, 0, true);
    put("L1Latency", l1 - wait, "clocks");
    put("L2Latency", l2 - wait, "clocks");
    // A row is opened (tRP and tRCD), a line takes the bus, and some steps meet a refresh.
    double bank = card.stacked ? 28 + 3 + 9 : 24 + 2 + 3;
    put("DRAMLatency", (dram - l2) / card.mhz * 1000 - bank, "ns");

    const int groups = 1 << 15;
    put("GroupClocks", (clocks(card, 2 * groups, 64) - clocks(card, groups, 64)) / groups, "clocks a work-group");
    if (card.most < 1024) { // else work-groups take their time, not their waves
        printf("LaunchClocks needs work-groups of 1024 work-items; there are %d at most\n", card.most);
        return;
    }
    put("LaunchClocks", (clocks(card, groups / 2, 1024) - clocks(card, groups / 4, 1024)) / (groups / 4) / 16,
        "clocks a wave");
}

// probe is the program.
static int probe(int argc, char **argv) {
    std::string figures, board = "unknown", memory;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--figures=", 10))
            figures = argv[i] + 10;
        else if (!strncmp(argv[i], "--board=", 8))
            board = argv[i] + 8;
        else if (!strcmp(argv[i], "--memory=hbm") || !strcmp(argv[i], "--memory=gddr5"))
            memory = argv[i] + 9;
        else
            return fprintf(stderr, "usage: probe [--board=NAME] [--figures=FILE] "
                                   "[--memory=hbm|gddr5]\n"), 2;
    }
    Card card;
    card.open();
    if (!memory.empty())
        card.stacked = memory == "hbm";
    printf("%s, %.0f MHz, %s\n", card.name.c_str(), card.mhz, card.stacked ? "HBM" : "GDDR5");
    measure(card);
    if (figures.empty())
        return 0;
    FILE *f = fopen(figures.c_str(), "w");
    if (!f)
        return perror(figures.c_str()), 1;
    fprintf(f, "id\tbenchmark\tkernel\tboard\tmhz\tmeasured\tunit\tuse\tsource\n");
    for (size_t i = 0; i < found.size(); i++)
        fprintf(f, "p%03zu\tprobe\tparam_%s\t%s\t%.0f\t%.2f\tunits\tyes\texamples/probe on %s\n", i + 1,
                found[i].first.c_str(), board.c_str(), card.mhz, found[i].second, card.name.c_str());
    return fclose(f) ? (perror(figures.c_str()), 1) : 0;
}
