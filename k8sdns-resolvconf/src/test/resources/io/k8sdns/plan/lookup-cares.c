/* Looks one name up with c-ares: lookup FAMILY 0xBYTES; with --version, prints the version of the library. */
#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>

static void done(void *unused, int status, int timeouts, struct ares_addrinfo *found) {
    struct ares_addrinfo_node *one;
    char text[INET6_ADDRSTRLEN];

    (void) unused;
    (void) timeouts;
    printf("%s", status == ARES_SUCCESS ? "ok"
        : status == ARES_ENOTFOUND || status == ARES_ENODATA ? "not found" : "error");
    for (one = found ? found->nodes : NULL; one; one = one->ai_next) {
        const void *address = one->ai_family == AF_INET
            ? (const void *) &((struct sockaddr_in *) one->ai_addr)->sin_addr
            : (const void *) &((struct sockaddr_in6 *) one->ai_addr)->sin6_addr;
        printf("\t%s", inet_ntop(one->ai_family, address, text, sizeof text));
    }
    printf("\n");
    if (found) {
        ares_freeaddrinfo(found);
    }
}

int main(int argc, char **argv) {
    static char name[1 << 20];
    char digits[3] = "";
    struct ares_addrinfo_hints hints;
    ares_channel channel;
    size_t length;
    size_t i;

    if (argc == 2) {
        printf("%s\n", ares_version(NULL));
        return 0;
    }
    if (argc != 3 || strlen(argv[2]) < 2 || (length = strlen(argv[2]) / 2 - 1) >= sizeof name) {
        return 2;
    }
    for (i = 0; i < length; i++) {
        memcpy(digits, argv[2] + 2 + 2 * i, 2);
        name[i] = (char) strtoul(digits, NULL, 16);
    }
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_family = !strcmp(argv[1], "4") ? AF_INET : !strcmp(argv[1], "6") ? AF_INET6 : AF_UNSPEC;
    ares_library_init(ARES_LIB_INIT_ALL);
    if (ares_init(&channel) != ARES_SUCCESS) {
        return 1;
    }
    ares_getaddrinfo(channel, name, NULL, &hints, done, NULL);
    for (;;) {
        fd_set readable;
        fd_set writable;
        struct timeval wait;
        int count;

        FD_ZERO(&readable);
        FD_ZERO(&writable);
        count = ares_fds(channel, &readable, &writable);
        if (count == 0) {
            break;
        }
        select(count, &readable, &writable, NULL, ares_timeout(channel, NULL, &wait));
        ares_process(channel, &readable, &writable);
    }
    ares_destroy(channel);
    return 0;
}
